// The results so far, and the replay of a match with an analysis of each disc.

import {Matrix, draw} from './matrix.js';
import {ask} from './source.js';
import {capital, mover, second} from './words.js';

const $ = (id) => document.getElementById(id);
const most = 1000;
const text = (tag, content, name) => Object.assign(document.createElement(tag), {textContent: content, className: name || ''});

// button returns a button with a text, a class and a handler of clicks.
function button(content, name, click) {
  const it = Object.assign(text('button', content, name), {type: 'button'});
  it.addEventListener('click', click);
  return it;
}

export async function openResults() {
  $('totals').replaceChildren(text('p', 'Loading …'));
  $('past').replaceChildren();
  $('results').showModal();
  let matches;
  try {
    ({matches} = await ask('GET', `v1/matches?last=${most}`));
  } catch (e) {
    $('totals').replaceChildren(text('p', capital(e.message), 'error'));
    return;
  }
  totals(matches);
  $('past').replaceChildren(...matches.reverse().slice(0, 100).map((past) => {
    const {match} = past;
    const ended = match.ended ? new Date(match.ended).toLocaleString([], {dateStyle: 'medium', timeStyle: 'short'}) : '';
    const cells = [
      text('span', capital(past.result), `result ${match.result}`),
      text('span', past.players, 'players'),
      text('span', ended, 'when'),
    ];
    const row = button('', 'past', () => openReplay(past));
    row.append(...cells.flatMap((cell) => [cell, ' '])); // spaces between the words for screen readers
    return row;
  }));
}

// openLast looks back at the last match.
export async function openLast() {
  const answer = await ask('GET', 'v1/matches?last=1').catch(() => null);
  if (answer?.matches.length) openReplay(answer.matches[0]);
  else openResults();
}

// totals counts the matches of each kind.
function totals(matches) {
  if (matches.length === 0) return $('totals').replaceChildren(text('p', 'No match has been finished yet.'));
  const kinds = new Map();
  for (const {match} of matches) {
    const alone = match.computer && !match.programs;
    const kind = match.programs ? 'Programs' : alone ? `Level ${match.level}` : 'People';
    const sides = alone ? ['you', 'computer'] : ['red', 'yellow or blue'];
    const count = kinds.get(kind) || {sides, wins: [0, 0], abandoned: 0};
    kinds.set(kind, count);
    if (match.result === 'abandoned') count.abandoned++;
    else count.wins[Number(alone ? match.result === match.computer : match.result !== 'red')]++;
  }
  const table = document.createElement('table'), body = document.createElement('tbody');
  table.append(text('caption', `${matches.length === most ? `The last ${most}` : matches.length} ${matches.length === 1 ? 'match' : 'matches'}`));
  for (const [kind, {sides, wins, abandoned}] of [...kinds].sort()) {
    const row = body.insertRow();
    row.append(Object.assign(text('th', kind), {scope: 'row'}), text('td', `${sides[0]} ${wins[0]}, ${sides[1]} ${wins[1]}`), text('td', abandoned));
  }
  table.append($('totals-head').content.cloneNode(true), body);
  $('totals').replaceChildren(table);
}

// ---- replay

let matrix, shown, at = 0, worth;
let line; // of best play, if it is shown instead of the round: why, the disc from which it goes on, how far

function openReplay(past) {
  matrix ||= new Matrix($('replay-board'));
  const {match, rounds} = past;
  $('replay-title').textContent = capital(past.result);
  $('rounds').replaceChildren(...rounds.map((_, i) => button(`Round ${i + 1}`, '', () => show(i))));
  $('rounds').hidden = rounds.length < 2;
  const show = (i) => {
    [...$('rounds').children].forEach((b, j) => b.setAttribute('aria-pressed', j === i));
    shown = {...rounds[i], match};
    worth = null;
    $('step').max = shown.moves.length;
    $('curve').replaceChildren();
    $('replay-story').textContent = '';
    step(shown.moves.length);
    void analyse(shown, i === 0 ? match.opening || 0 : 0);
  };
  $('replay').showModal();
  if (rounds.length) show(rounds.length - 1);
}

function step(to) {
  line = null;
  at = Math.min(Math.max(to, 0), shown.moves.length);
  $('step').value = at;
  const {moves, starts, match} = shown;
  const cells = [...draw(moves.slice(0, at), starts, match).join('')];
  if (at === moves.length) for (const cell of shown.line || []) cells[cell] = 'W';
  const disc = worth?.find(({ply}) => ply === at);
  for (const [column, row] of disc?.cells || []) cells[8 * (8 - row) + column - 1] = 'W';
  matrix.show(cells);
  let what = capital(at === 0 ? shown.begin : disc?.text || `${mover(at - 1, starts, match)} ${moves[at - 1]}`);
  if (at === moves.length && shown.end) what += `; ${shown.end}`;
  says(what);
  for (const [name, from] of [['why', at], ['better', at - 1]]) {
    const why = disc?.[name];
    $(`line-${name}`).hidden = !why?.line;
    $(`line-${name}`).onclick = () => explore(why, from, line?.why === why ? line.discs + 1 : 1);
  }
  const mistake = worth?.findLast(({ply, text}) => text && ply < at);
  $('line-mark').hidden = !mistake;
  $('line-mark').onclick = () => step(mistake.ply);
  mark();
}

// says shows a sentence about the last disc and, in a variation, what it is about.
function says(what, about = '') {
  $('replay-says').textContent = what;
  $('replay-why').textContent = about;
  $('step').setAttribute('aria-valuetext', what);
}

// explore shows a number of discs of a line of best play, which goes on after some discs of the round, and
// the cells that matter in it. Before its first disc it returns to the round.
function explore(why, from, discs) {
  if (discs < 1) return step(at);
  discs = Math.min(discs, why.line.length);
  line = {why, from, discs};
  const {moves, starts, match} = shown;
  const cells = [...draw(moves.slice(0, from) + why.line.slice(0, discs), starts, match).join('')];
  if (discs >= (why.after || 0)) for (const [column, row] of why.cells || []) cells[8 * (8 - row) + column - 1] = 'W';
  matrix.show(cells);
  says(capital(`${mover(from + discs - 1, starts, match)} ${why.line[discs - 1]}`), worth.find(({ply}) => ply === at).text);
}

const jumps = {ArrowLeft: () => at - 1, ArrowRight: () => at + 1, Home: () => 0, End: () => Infinity};
$('replay').addEventListener('keydown', (e) => {
  if (!jumps[e.key] || e.ctrlKey || e.altKey || e.metaKey) return;
  e.preventDefault();
  jump(e.key);
});
function jump(key) {
  if (line && key.startsWith('Arrow')) explore(line.why, line.from, line.discs + (key === 'ArrowRight' ? 1 : -1));
  else step(jumps[key]());
}
$('step').addEventListener('input', () => step(Number($('step').value)));
for (const [id, key] of [['step-first', 'Home'], ['step-back', 'ArrowLeft'], ['step-on', 'ArrowRight'], ['step-last', 'End']]) {
  $(id).addEventListener('click', () => jump(key));
}

// analyse draws the scores of a round as a curve: up is good for red.
async function analyse(round, from) {
  $('replay-story').textContent = 'Analysing …';
  try {
    const report = await ask('POST', 'v1/analyse', {moves: round.moves, starts: round.starts, from, board: round.match.board, connect: round.match.connect});
    if (round !== shown) return;
    worth = report.discs;
    curve(worth, round);
    $('replay-story').textContent = report.text.map((line) => capital(line).replace(/\.?$/, '.')).join(' ');
    step(at);
  } catch (e) {
    if (round === shown) $('replay-story').textContent = capital(e.message);
  }
}

const svg = (tag, attributes) => {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
};

let place = () => [0, 0];

function curve(all, round) {
  const discs = all.filter(({after}) => after !== null); // on large boards the first discs may be unknown
  const width = 320, height = 90, plies = round.moves.length;
  const most = Math.max(6, ...discs.map(({after}) => Math.abs(after)));
  place = (ply, score) => [8 + (width - 16) * ply / plies, height / 2 - (height / 2 - 8) * score / most];
  const forRed = ({ply, after}) => (after ?? -most) * ((ply % 2 === 1) === (round.starts === 'red') ? 1 : -1); // a mistake of unknown worth loses
  const points = discs.map((disc) => place(disc.ply, forRed(disc)));
  const sides = ['red', second(round.match)].map((side) => `${side} wins`);
  const drawing = svg('svg', {viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': `What the position was worth after each disc: above the line ${sides[0]}, below it ${sides[1]}`});
  drawing.append(
    svg('line', {x1: 8, x2: width - 8, y1: height / 2, y2: height / 2, class: 'zero'}),
    svg('polyline', {points: points.map((p) => p.map((n) => n.toFixed(1)).join()).join(' '), class: 'worth'}),
    svg('line', {id: 'now', y1: 4, y2: height - 4, class: 'now'}));
  for (const disc of all.filter(({text}) => text)) {
    const [cx, cy] = place(disc.ply, forRed(disc));
    drawing.append(svg('circle', {cx, cy, r: 4, class: 'turned'}));
  }
  drawing.addEventListener('click', (e) => {
    const box = drawing.getBoundingClientRect();
    step(Math.round(((e.clientX - box.left) / box.width * width - 8) / (width - 16) * plies));
  });
  $('curve').replaceChildren(drawing, ...sides.map((side) => Object.assign(text('span', capital(side)), {ariaHidden: true})));
}

function mark() {
  const now = document.getElementById('now');
  if (!now) return;
  const [x] = place(at, 0);
  now.setAttribute('x1', x);
  now.setAttribute('x2', x);
}
