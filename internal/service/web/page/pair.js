// Pairing: the page shows a digit, and somebody at the HAT admits the browser by choosing the same digit
// with the joystick.

import {ask} from './source.js';
import {capital} from './words.js';

const $ = (id) => document.getElementById(id);
const dialog = $('pair');
let asking;

// openPair asks to be paired, and calls paired if that was granted. A browser that may not watch is not told
// when the LEDs ask for its digit.
export async function openPair(paired, closed) {
  if (!dialog.open) dialog.showModal();
  asking?.abort();
  const mine = asking = new AbortController();
  mine.digit = 1 + crypto.getRandomValues(new Uint32Array(1))[0] % 9;
  $('pair-again').hidden = $('digit').hidden = true;
  $('pair-again').onclick = () => openPair(paired, closed);
  $('pair-says').textContent = 'Asking …';
  if (closed) shows(mine.digit);
  try {
    await ask('POST', 'v1/pair', {digit: mine.digit}, {signal: mine.signal});
    dialog.close();
    paired();
  } catch (e) {
    if (mine.signal.aborted) return;
    asking = null;
    $('digit').hidden = true;
    const [wait, minutes = 0, seconds = 0] = e.message.match(/(?:(\d+)m)?(\d+)s$/) ?? [];
    for (let left = 60 * minutes + +seconds; left > 0 && !asking && dialog.open; left--) {
      $('pair-says').textContent = capital(e.message).replace(wait, `${left} s`);
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
    if (asking) return;
    $('pair-says').textContent = capital(e.message).replace(`: ask again in ${wait}`, '');
    $('pair-again').hidden = false;
  }
}

// shows says that the LEDs ask for a digit.
export function shows(digit) {
  if (digit !== asking?.digit || !$('digit').hidden) return;
  $('digit').textContent = digit;
  $('digit').hidden = false;
  $('pair-says').textContent = `To admit this browser, choose the digit ${digit} on the LEDs with the joystick’s left and right, then press. Up refuses.`;
}
dialog.addEventListener('close', () => { asking?.abort(); asking = null; });
