// The dialog for a new match.

import {second} from './words.js';

const $ = (id) => document.getElementById(id);
const dialog = $('match');
const chosen = (name) => dialog.querySelector(`[name=${name}]:checked`)?.value;
const rival = () => second({board: chosen('board')});
let start, underWay;

export function openMatch({state, you, start: with_}) {
  start = with_;
  underWay = state?.under_way;
  if (!dialog.querySelector('[name=level]')) fill(you.levels);
  $('match-error').textContent = '';
  $('start').textContent = underWay ? 'End the match and start' : 'Start';
  change();
  $('more').open = false;
  dialog.showModal();
}

// fill lists the levels that the game has. The level chosen last is selected.
function fill(levels) {
  const last = localStorage.getItem('c4hat-level');
  levels.forEach((value, i) => {
    const row = document.createElement('label');
    row.append(Object.assign(document.createElement('input'), {type: 'radio', name: 'level', value}), ` ${value}`);
    row.firstChild.checked = value === last || !levels.includes(last) && i === 1;
    $('levels').append(row);
  });
  if (last) dialog.querySelector('[value=computer]').checked = true;
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
  const request = {board, connect: 4, points: Number(chosen('points')), force: Boolean(underWay)};
  const first = side(chosen('first')), you = side(chosen('you'));
  if (first) request.first = first;
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
