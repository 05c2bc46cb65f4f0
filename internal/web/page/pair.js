// Pairing: the page shows a digit, and somebody at the HAT admits the browser by choosing the same digit
// with the joystick.

import {ask} from './source.js';
import {capital} from './words.js';

const $ = (id) => document.getElementById(id);
const dialog = $('pair');
let asking;

export async function openPair(paired) {
  if (!dialog.open) dialog.showModal();
  asking?.abort();
  asking = new AbortController();
  const mine = asking;
  const digit = 1 + crypto.getRandomValues(new Uint32Array(1))[0] % 9;
  $('digit').textContent = digit;
  $('pair-again').hidden = true;
  $('pair-again').onclick = () => openPair(paired);
  $('pair-says').textContent = `To admit this browser, choose the digit ${digit} on the LEDs with the joystick’s left and right, then press. Up refuses.`;
  try {
    await ask('POST', 'v1/pair', {digit}, '', mine.signal);
    dialog.close();
    paired();
  } catch (e) {
    if (mine.signal.aborted) return;
    $('digit').textContent = '';
    $('pair-says').textContent = capital(e.message);
    $('pair-again').hidden = false;
  }
}
dialog.addEventListener('close', () => asking?.abort());
