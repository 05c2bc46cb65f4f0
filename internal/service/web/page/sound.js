// Sounds and speech, both off until somebody asks for them.

let context;
const wanted = (what) => localStorage.getItem(`c4hat-${what}`) === 'on';

// tone plays a note. Times are in seconds.
function tone(frequency, at, length, volume = 0.12, kind = 'triangle') {
  const start = context.currentTime + at;
  const note = context.createOscillator();
  const gain = context.createGain();
  note.type = kind;
  note.frequency.value = frequency;
  gain.gain.setValueAtTime(volume, start);
  gain.gain.exponentialRampToValueAtTime(0.001, start + length);
  note.connect(gain).connect(context.destination);
  note.start(start);
  note.stop(start + length);
}

const tunes = {
  drop: () => { tone(170, 0, 0.12, 0.25, 'sine'); tone(90, 0.03, 0.16, 0.2, 'sine'); },
  win: () => [523, 659, 784, 1047].forEach((f, i) => tone(f, i * 0.11, 0.35)),
  draw: () => [440, 392].forEach((f, i) => tone(f, i * 0.16, 0.3)),
  no: () => tone(120, 0, 0.14, 0.15, 'square'),
};

export function play(tune) {
  if (!wanted('sound')) return;
  context ||= new AudioContext();
  if (context.state === 'suspended') void context.resume();
  tunes[tune]();
}

export function say(text) {
  if (!wanted('speech') || !('speechSynthesis' in window) || !text) return;
  const words = new SpeechSynthesisUtterance(text);
  words.lang = 'en';
  speechSynthesis.speak(words);
}

// switches connects the two switches of the settings.
export function switches(sound, speech) {
  for (const [box, what] of [[sound, 'sound'], [speech, 'speech']]) {
    box.checked = wanted(what);
    box.addEventListener('change', () => {
      localStorage.setItem(`c4hat-${what}`, box.checked ? 'on' : 'off');
      if (what === 'sound') play('drop');
      if (what === 'speech' && !box.checked) window.speechSynthesis?.cancel();
      if (what === 'speech') say('Speech is on.');
    });
  }
}
