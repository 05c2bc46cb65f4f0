// What the page shows of a state. The sentences about the game come with the state.

export const capital = (text) => text ? text[0].toUpperCase() + text.slice(1) : '';

// playing are the phases in which a round is being played.
export const playing = new Set(['aim', 'thinking', 'fall', 'hint']);

// second is the name of the player who is not red.
export const second = (match) => match?.board === '8x8' ? 'blue' : 'yellow';

// mover is the player who drops the disc of a ply.
export const mover = (ply, starter, match) => ply % 2 === 0 ? starter : starter === 'red' ? second(match) : 'red';

// size is the size of a match's board.
export function size(match) {
  const [columns, rows] = (match?.board || '7x6').split('x').map(Number);
  return {columns, rows};
}

// round is the round on the screen, as a string of columns.
export const round = (state) => state?.match?.rounds?.at(-1) || '';

// title is the line below the matrix. seat is the side whose seat this browser holds; plays says whether
// it may play at all.
export function title({text, turn, match, seats}, seat, plays) {
  const alone = match?.computer && !Object.values(seats || {}).some(({state, name}) => state || name);
  const mine = seat ? seat === turn : plays && alone;
  return capital(mine ? text.mine : text.title);
}

// legend explains a hint's scores.
export const legend = (hint) => `+9 wins before +1, − loses, ${hint?.exact ? '0 draws' : '? unknown'}`;

const titles = new Set(['menu', 'pause', 'read', 'dark', 'attract', 'admit']); // phases whose title is spoken

// news is what has happened between two states, for people who do not see the board.
export function news(before, now) {
  const said = [], {text, match, phase} = now, old = before?.text || {};
  const say = (what) => { if (what) said.push(capital(what).replace(/\.?$/, '.')); };
  const same = before && before.match?.id === match?.id;
  if (!same) say(text.match);
  const back = same && phase !== 'look' && before.match?.rounds.length === match?.rounds.length && round(now).length < round(before).length;
  if (back) say(old.back);
  else if (text.event !== old.event && !(before?.phase === 'hint' && round(now) === round(before))) say(text.event);
  if (text.refused !== old.refused) say(text.refused);
  if (titles.has(phase) && (text.title !== old.title || phase !== before?.phase)) say(text.title);
  return said;
}
