// The dialog for a new match.

import {second} from './words.js';

const $ = (id) => document.getElementById(id);
const dialog = $('match');
const chosen = (name) => dialog.querySelector(`[name=${name}]:checked`)?.value;
const rival = () => second({board: chosen('board')});
let start, underWay, next = {};

export function openMatch({state, you, start: with_}) {
  start = with_;
  underWay = state?.under_way;
  if (!dialog.querySelector('[name=level]')) fill(you.levels);
  prefer(state?.next || {});
  $('match-waits').hidden = !state?.waits;
  $('match-error').textContent = '';
  $('start').textContent = underWay ? 'End the match and start' : 'Start';
  change();
  $('more').open = false;
  dialog.showModal();
}

// fill lists the levels that the game has.
function fill(levels) {
  levels.forEach((value, i) => { add($('levels'), 'level', value, value).checked = i === 1; });
  if (localStorage.getItem('c4hat-level')) dialog.querySelector('[value=computer]').checked = true;
}

function add(list, name, value, what) {
  const row = document.createElement('label');
  row.append(Object.assign(document.createElement('input'), {type: 'radio', name, value}), ` ${what}`);
  list.append(row);
  return row.firstChild;
}

// prefer selects what the menu on the LEDs would start. What was chosen here stays until that changes. At
// first, the level is the one that this browser chose last.
function prefer(menu) {
  const now = next.board ? menu : {...menu, level: localStorage.getItem('c4hat-level') || menu.level};
  for (const name of ['board', 'points', 'first', 'level']) {
    if (menu[name] === next[name]) continue;
    const value = ['yellow', 'blue'].includes(now[name]) ? 'second' : now[name];
    const choice = dialog.querySelector(`[name=${name}][value="${value}"]`);
    if (choice || name === 'board') (choice || add($('boards'), name, value, value.replace('x', ' × '))).checked = true;
  }
  next = menu;
}

function change(event) {
  const computer = chosen('against') === 'computer';
  dialog.querySelectorAll('.second').forEach((name) => { name.textContent = rival(); });
  $('levels').disabled = !computer;
  const [both, red] = dialog.querySelectorAll('[name=you]');
  both.disabled = computer;
  if (computer && both.checked) red.checked = true;
  if (!computer && event?.target.name === 'against') both.checked = true;
}
dialog.addEventListener('change', change);

$('match-cancel').addEventListener('click', () => dialog.close());
$('start').addEventListener('click', async (e) => {
  e.preventDefault();
  const level = chosen('against') === 'computer' ? chosen('level') : '', board = chosen('board');
  const side = (value) => value === 'second' ? rival() : value;
  const connect = board === next.board ? next.connect : 4, first = side(chosen('first')), you = side(chosen('you'));
  const request = {board, connect, first, points: Number(chosen('points')), force: Boolean(underWay)};
  if (level) Object.assign(request, {level, computer: you === 'red' ? rival() : 'red'});
  else if (you) request.take = you;
  localStorage.setItem('c4hat-level', level);
  try {
    await start(request);
    dialog.close();
  } catch (error) {
    $('match-error').textContent = error.message;
    if (error.status === 409) {
      underWay = true;
      $('start').textContent = 'End the match and start';
    }
  }
});
