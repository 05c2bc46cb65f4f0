package words

var admission = screen{title: always("a browser asks to be admitted"), help: keys("the joystick answers: up refuses", "q quit")}
