// A view for a projector in a classroom: the match, readable from the back of the room. It has no
// controls.

import {follow} from './source.js';
import {Matrix, calm} from './matrix.js';
import {capital, second} from './words.js';

const $ = (id) => document.getElementById(id);
const matrix = new Matrix($('leds'));
let state;

follow({
  you(doc) {
    document.title = doc.host ? `c4hat on ${doc.host}` : 'c4hat';
    if (doc.closed) $('status').textContent = 'Only paired browsers may watch';
  },
  state(doc) {
    const before = state;
    state = doc;
    if (!calm(before, doc, matrix.shown)) matrix.show(doc.leds);
    draw();
  },
  lost,
});

function lost(reason) {
  document.body.dataset.link = 'lost';
  $('status').textContent = capital(reason);
  $('event').textContent = '';
}

function draw() {
  const {match, text} = state, other = second(match), demo = state.phase === 'attract';
  Object.assign(document.body.dataset, {link: 'on', second: other, turn: state.under_way && state.turn || ''});
  for (const [side, player] of [['red', 'red'], ['yellow', other]]) {
    const computer = !demo && match?.computer === player && match.level;
    $(`name-${side}`).textContent = !demo && state.seats?.[player]?.name || capital(player) + (computer ? ` · ${computer}` : '');
    $(`points-${side}`).textContent = demo ? '' : state.points?.[player] ?? '';
  }
  $('status').textContent = capital(text.title);
  $('event').textContent = text.refused ? '' : capital(text.event === text.title ? '' : text.event || '');
}
