// The page draws what the game sends, and tells the game what people do (source.js).

import * as source from './source.js';
import {Matrix, calm} from './matrix.js';
import * as words from './words.js';
import * as sound from './sound.js';
import {openMatch} from './match.js';
import {openLast, openResults} from './results.js';
import {openPair, shows} from './pair.js';

const $ = (id) => document.getElementById(id);
const matrix = new Matrix($('leds'));
let state, you = {press: false, levels: []}, landed = 0, lives = 0; // lives counts connections
let result = ''; // how the match has ended, until the next one begins
let seat = JSON.parse(sessionStorage.getItem('c4hat-seat') || 'null'); // {side, token}
let missed = null; // a seat that was lost because the service ended, to be taken again: {side, match}

// text sets an element's text only if it differs, so that no screen reader announces it twice.
function text(element, value) {
  if (element.textContent !== value) element.textContent = value;
}

// notice shows a line below the status.
function notice(what, error = false) {
  text($('notice'), words.capital(what));
  $('notice').classList.toggle('error', error);
}

// ---- what the game sends

const on = {
  get token() { return seat?.token || ''; },
  you(doc) {
    you = doc;
    document.title = doc.host ? `c4hat on ${doc.host}` : 'c4hat';
    text($('place'), doc.host ? `on ${doc.host}` : '');
    document.body.classList.toggle('watching', !you.press);
    $('pair-row').hidden = !doc.pair;
    $('link-row').hidden = doc.press || doc.pair;
    if (!doc.closed) return;
    document.body.dataset.link = 'waiting';
    text($('status'), 'Only paired browsers may watch');
  },
  state(doc) {
    if (doc.admission?.answer === 'waiting') shows(doc.admission.digit);
    if (document.body.dataset.link !== 'on') lives++;
    document.body.dataset.link = 'on';
    const before = state;
    state = doc;
    if (seat?.side === doc.turn && doc.notice?.kind === 'taken') doc.text.refused = ''; // that key was somebody else's
    if (seat && before && before.match?.id !== doc.match?.id && seat.match !== doc.match?.id) keepSeat(null);
    if (!calm(before, doc, matrix.shown)) matrix.show(doc.leds);
    draw(before);
    if (missed && missed.match === doc.match?.id && doc.under_way && !doc.seats[missed.side].state) sit(missed.side);
    missed = null;
  },
  unseated() {
    missed = {side: seat?.side, match: state?.match?.id};
    keepSeat(null);
    again();
  },
  lost,
};

// lost says why the game cannot be reached. Presses that are on their way are given up.
function lost(reason) {
  if (document.body.dataset.link === 'lost' && $('status').textContent === words.capital(reason)) return;
  document.body.dataset.link = 'lost';
  lives++;
  text($('status'), words.capital(reason));
  notice('');
  tell([reason]);
}

const again = source.follow(on);

// ---- drawing

const columns = Array.from({length: 8}, (_, i) => {
  const button = document.createElement('button');
  button.type = 'button';
  button.addEventListener('click', () => { if (i + 1 <= words.size(state?.match).columns) press({column: i + 1}); });
  button.addEventListener('pointerenter', (e) => { if (e.pointerType === 'mouse') point(i + 1); });
  $('columns').append(button);
  const number = document.createElement('li');
  number.textContent = i + 1;
  $('numbers').append(number);
  return button;
});

function draw(before) {
  const {match, phase} = state;
  const second = words.second(match);
  const size = words.size(match);
  const demo = phase === 'attract'; // the last match is not what the LEDs show
  const round = demo ? '' : words.round(state);
  const inMatch = words.playing.has(phase);
  document.body.dataset.phase = phase;
  document.body.dataset.turn = state.under_way && state.turn || '';
  document.body.dataset.second = second;

  // Each column is a button while a round is shown; otherwise the whole matrix is one button.
  $('columns').hidden = !match || !(inMatch || ['cheer', 'score', 'draw', 'clear'].includes(phase));
  $('wake').hidden = !$('columns').hidden || phase === 'admit';
  if (!$('wake').hidden) $('wake').setAttribute('aria-label', phase === 'look' ? (state.look.plays ? 'Stop' : 'Play') : wakes[phase] || 'Continue');
  columns.forEach((button, i) => {
    button.hidden = i >= size.columns;
    $('numbers').children[i].classList.toggle('off', !match || button.hidden || $('columns').hidden);
    if (button.hidden) return;
    const discs = [...round].flatMap((c, ply) => c === String(i + 1) ? [words.mover(ply, state.starts, match)] : []);
    const label = `Column ${i + 1}: ` + (discs.length === 0 ? 'empty' : discs.length === size.rows ? `full, ${discs.join(', ')}` : discs.join(', '));
    if (button.getAttribute('aria-label') !== label) button.setAttribute('aria-label', label);
    button.classList.toggle('cursor', state.cursor === i + 1 && (phase === 'aim' || phase === 'hint'));
    const score = phase === 'hint' && discs.length < size.rows ? state.hint?.scores[i] || 0 : null;
    button.dataset.score = score === null ? '' : score > 0 ? `+${score}` : score < 0 ? `−${-score}` : state.hint?.exact ? '0' : '?';
  });

  for (const name of ['red', 'yellow']) {
    const player = name === 'red' ? 'red' : second;
    text($(`name-${name}`), words.capital(player));
    $(`name-${name}`).dataset.computer = !demo && match?.computer === player ? `level ${match.level}` : '';
    const has = state.points?.[player] || 0;
    $(`points-${name}`).hidden = demo;
    $(`points-${name}`).dataset.points = has;
    $(`points-${name}`).replaceChildren(...Array.from({length: match?.points || 2}, (_, i) => {
      const dot = document.createElement('i');
      dot.className = i < has ? 'won' : '';
      return dot;
    }));
    $(`points-${name}`).setAttribute('aria-label', `${has} of ${match?.points || 2} points`);
    $(`points-${name}`).setAttribute('role', 'img');
    seatButton(document.querySelector(`[data-seat=${name}]`), player);
  }

  text($('status'), words.title(state, seat?.side, you.press));
  result = phase === 'victory' ? state.text.event : state.under_way || state.puzzle ? '' : result;
  const {refused} = state.text;
  notice(refused || (phase === 'hint' ? words.legend(state.hint) : phase === 'menu' ? result : ''), Boolean(refused));
  $('hint').disabled = !you.press || !['aim', 'pause', 'hint'].includes(phase);
  $('undo').disabled = !you.press || !round || !['aim', 'thinking', 'fall', 'pause', 'hint'].includes(phase);
  $('pause').disabled = !you.press || !['aim', 'thinking', 'fall', 'hint', 'pause', 'read'].includes(phase);
  text($('pause'), phase === 'pause' || phase === 'read' ? 'Resume' : 'Pause');
  $('end').disabled = !you.press || !state.under_way && phase !== 'look';
  $('over').hidden = !you.press || state.under_way || state.puzzle || phase === 'look' || phase === 'admit';
  $('actions').hidden = you.press && !$('over').hidden;
  $('resume').hidden = !state.waits;
  $('rematch').hidden = state.waits || !match;
  $('look-back').hidden = state.waits || !match?.rounds.join('');
  text($('end'), phase === 'look' ? 'Leave' : 'End');
  moves(round, match);
  happened(before);
}

const wakes = {
  attract: 'Open the menu', menu: 'Start what the menu shows', pause: 'Do what the pause screen shows', dark: 'Turn the LEDs on',
  puzzle: 'Leave',
};

function seatButton(button, player) {
  const taken = Boolean(state.seats?.[player]?.state);
  const mine = seat?.side === player;
  button.hidden = !you.press || !state.under_way || state.match.computer && !mine;
  if (button.hidden) return;
  button.disabled = taken && !mine;
  text(button, mine ? 'leave' : taken ? 'taken' : 'take');
  button.setAttribute('aria-label', mine ? `Leave the seat of ${player}` : taken ? `The seat of ${player} is taken` : `Take the seat of ${player}`);
  button.dataset.player = player;
}

// moves lists the discs of the round, each with the colour of its player.
function moves(round, match) {
  const list = $('moves');
  if (list.dataset.round === round + state.starts) return;
  list.dataset.round = round + state.starts;
  list.replaceChildren(...[...round].map((column, ply) => {
    const item = document.createElement('li');
    const side = words.mover(ply, state.starts, match);
    item.textContent = column;
    item.className = side;
    item.setAttribute('aria-label', `${side} ${column}`);
    return item;
  }));
  requestAnimationFrame(() => { list.scrollTop = 1e6; }); // at that time the browser computes the layout anyway
}

// happened announces what has changed, and plays the sounds for it.
function happened(before) {
  const {phase} = state;
  if (before) {
    if (before.phase === 'fall' && phase !== 'fall' && words.round(before).length > 0) sound.play('drop');
    if (phase === 'cheer' && before.phase !== 'cheer') sound.play('win');
    if (phase === 'draw' && before.phase !== 'draw') sound.play('draw');
    if (state.text.refused && state.text.refused !== before.text.refused) sound.play('no');
  }
  tell(words.news(before, state));
}

function tell(lines) {
  for (const line of lines) {
    const p = document.createElement('span');
    p.textContent = line + ' ';
    $('live').append(p);
    sound.say(line);
  }
  while ($('live').children.length > 6) $('live').firstChild.remove();
}

// ---- what people do

// send makes a request, and shows the error if there is one.
async function send(method, path, body, token, pressed = source.stamp()) {
  try {
    return await source.ask(method, path, body, {token, pressed});
  } catch (e) {
    if (e.status === 401) return openPairing();
    if (e.code === 'not-now') return; // the board has moved on, and shows it
    sound.play('no');
    if (e.status === 0) return lost(e.message), again();
    notice(e.message, true);
    tell([e.message]);
  }
}

// queue sends a press when the previous one has been answered. On two connections, presses might
// arrive in the wrong order, and the game would treat them as those of two people. A press is made for
// the picture on the screen: it is given up if the connection is lost before it is sent.
let last = Promise.resolve(), queued = 0;
function queue(what, post = send) {
  const pressed = source.stamp(), life = lives;
  const token = seat?.token;
  queued++;
  last = last.then(() => life === lives && post('POST', 'v1/press', what, token, pressed)).finally(() => { queued--; });
  return last;
}

function press(what) {
  if (!you.press) return openPairing();
  if (document.body.dataset.link !== 'on') return sound.play('no');
  const disc = 1 + (state.match?.rounds || []).join('').length;
  return queue(what.column && state.phase === 'aim' ? {...what, disc} : {...what}); // it falls once, in this turn
}

// leave presses down until the menu is back. While looking back, down goes to the next disc that
// was a mistake, then to the last disc, then to the menu.
async function leave() {
  for (let doc = state; doc?.phase === 'look'; ) doc = await press({key: 'down'});
}

// end leads to the menu, as on the pause screen: a match that has begun waits there. Where nobody can
// pause, it ends the match.
async function end() {
  const doc = state.phase === 'pause' ? state : await press({key: 'pause'});
  const entry = doc?.phase === 'pause' ? doc.items.indexOf('end') + 1 : 0;
  return entry ? press({choose: entry}) : send('DELETE', 'v1/match');
}

// point moves the cursor with the mouse. If there is a HAT, only a browser that holds a seat does
// this: for other browsers, the cursor may be another player's.
let pointed = 0, waiting = 0;
function point(column) {
  if (!you.press || !(you.alone || seat) || state?.phase !== 'aim' || column > words.size(state.match).columns) return;
  pointed = column;
  if (waiting) return;
  waiting = setTimeout(() => {
    waiting = 0;
    if (pointed === state.cursor || state.phase !== 'aim' || document.body.dataset.link !== 'on') return;
    void queue({point: pointed}, (method, path, body, token, pressed) => source.ask(method, path, body, {token, pressed}).catch(() => {}));
  }, 40);
}

$('wake').addEventListener('click', () => press({key: state?.phase === 'puzzle' ? 'up' : 'middle'}));
for (const key of ['hint', 'undo', 'pause']) $(key).addEventListener('click', () => press({key}));
$('end').addEventListener('click', () => state.phase === 'look' ? leave() : end());
$('resume').addEventListener('click', async () => {
  const doc = state.page === 'menu' ? state : await press({key: 'back'}); // from the demo, or from the menu's second page
  if (doc?.page === 'menu' && doc.waits) press({choose: 1});
});
$('stick').addEventListener('click', (e) => {
  const key = e.target.closest('button')?.dataset.key;
  if (key) press({key});
});
document.querySelectorAll('.seat').forEach((button) => button.addEventListener('click', () => sit(button.dataset.player)));

async function sit(player) {
  if (seat) {
    await send('DELETE', 'v1/seat', undefined, seat.token);
    const left = seat.side;
    keepSeat(null);
    if (left === player) return again();
  }
  const doc = await send('POST', 'v1/seat', {seat: player});
  if (doc?.token) sat(doc, player);
  else again();
}

function keepSeat(to) {
  seat = to;
  if (to) sessionStorage.setItem('c4hat-seat', JSON.stringify(to));
  else sessionStorage.removeItem('c4hat-seat');
}

const keys = {
  ArrowLeft: {key: 'left'}, ArrowRight: {key: 'right'}, ArrowUp: {key: 'up'}, ArrowDown: {key: 'down'},
  h: {key: 'left'}, l: {key: 'right'}, k: {key: 'up'}, j: {key: 'down'}, ' ': {key: 'middle'}, Enter: {key: 'middle'},
  u: {key: 'undo'}, '?': {key: 'hint'}, p: {key: 'pause'},
};

addEventListener('keydown', (e) => {
  if (e.ctrlKey || e.altKey || e.metaKey || document.querySelector('dialog[open]')) return;
  if ((e.key === ' ' || e.key === 'Enter') && e.target !== document.body) return; // the key presses a button
  if (/^Arrow/.test(e.key) && e.target.id === 'moves') return; // the key scrolls the list
  const what = /^[1-8]$/.test(e.key) ? {column: Number(e.key)} : keys[e.key];
  if (!what) return;
  e.preventDefault();
  if (e.repeat && !['left', 'right'].includes(what.key)) return; // a held key drops only one disc
  if (e.repeat && (queued || e.timeStamp - landed < 150)) return;
  landed = e.timeStamp;
  press(what);
});

// ---- dialogs

for (const id of ['open-match', 'new-match']) {
  $(id).addEventListener('click', () => (you.press ? openMatch({state, you, start}) : openPairing()));
}
$('rematch').addEventListener('click', async () => {
  const {board, connect, points, first, computer, level} = state.match;
  const take = seat?.match === state.match.id ? seat.side : undefined;
  const doc = await send('POST', 'v1/match', {board, connect, points, first, computer, level, take});
  if (doc) sat(doc, take);
});
$('look-back').addEventListener('click', openLast);
$('open-results').addEventListener('click', openResults);
$('open-settings').addEventListener('click', () => $('settings').showModal());
$('open-pair').addEventListener('click', openPairing);

function openPairing() {
  if (you.pair) openPair(again, you.closed);
}

// start starts a match. If the request takes a seat, start keeps its token.
async function start(request) {
  sat(await source.ask('POST', 'v1/match', request, {pressed: source.stamp()}), request.take);
}

function sat(doc, side) {
  keepSeat(doc.token ? {side, token: doc.token, match: doc.match.id} : null);
  again();
}

sound.switches($('sound'), $('speech'));
for (const button of document.querySelectorAll('[name=palette]')) {
  button.checked = button.value === (localStorage.getItem('c4hat-palette') || 'classic');
  button.addEventListener('change', () => {
    localStorage.setItem('c4hat-palette', button.value);
    document.documentElement.dataset.palette = button.value;
  });
}
document.documentElement.dataset.palette = localStorage.getItem('c4hat-palette') || 'classic';
