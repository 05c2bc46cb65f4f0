// The 64 LEDs. Each has a letter for its meaning (doc/socket.md); the style sheet has the colours.

import {mover, size} from './words.js';

export class Matrix {
  constructor(element) {
    while (element.children.length < 64) element.append(document.createElement('i'));
    this.leds = [...element.children];
    for (const led of this.leds) led.dataset.led = '.';
    this.shown = '.'.repeat(64);
  }

  // show shows eight rows of eight letters. It updates only the LEDs that have changed.
  show(rows) {
    const letters = rows.join('');
    if (letters === this.shown) return;
    for (let i = 0; i < 64; i++) {
      if (letters[i] !== this.shown[i]) this.leds[i].dataset.led = letters[i];
    }
    this.shown = letters;
  }
}

// calm reports whether to skip a frame for people who prefer reduced motion: a disc appears in
// its cell without falling, and nothing blinks.
export function calm(before, now, shown) {
  if (!matchMedia('(prefers-reduced-motion: reduce)').matches) return false;
  if (now.phase === 'fall') return true;
  if (now.phase === 'attract') return before?.phase === 'attract' && now.leds.slice(0, 2).join('').match(/[a-z]/) !== null;
  const lit = (letters) => letters.replaceAll('.', '').length;
  return now.phase === before?.phase && ['cheer', 'hint', 'aim', 'thinking'].includes(now.phase) &&
    round(before) === round(now) && before.cursor === now.cursor && lit(now.leds.join('')) < lit(shown);
}

const round = (state) => state?.match?.rounds?.join('/');

// draw returns the letters of a position, for a replay.
export function draw(moves, starter, match) {
  const cells = Array.from({length: 64}, () => '.');
  const {columns, rows} = size(match);
  const at = (column, row) => 8 * (7 - row) + column;
  for (let c = 0; c < columns; c++) for (let r = 0; r < rows; r++) cells[at(c, r)] = match.board === '8x8' ? '.' : 'O';
  const heights = {};
  const letter = {red: 'R', yellow: 'Y', blue: 'B'};
  [...moves].forEach((column, ply) => {
    const row = heights[column] = (heights[column] ?? -1) + 1;
    cells[at(column - 1, row)] = letter[mover(ply, starter, match)];
  });
  return Array.from({length: 8}, (_, y) => cells.slice(8 * y, 8 * y + 8).join(''));
}
