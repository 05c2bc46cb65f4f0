package words

var demo = screen{title: always("nobody plays: a demo runs"), help: keys("Enter opens the menu", "q quit")}
