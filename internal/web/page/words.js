// What the page says about a state.

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

// who names a player, and says if the player is the computer.
export const who = (side, match) => side + (match?.computer === side ? ', the computer' : '');

// move says where the disc of a ply landed.
export function move(columns, ply, side, match) {
  const row = [...columns.slice(0, ply + 1)].filter((c) => c === columns[ply]).length;
  return `${capital(who(side, match))}: column ${columns[ply]}, row ${row}`;
}

const points = (n) => `${n} ${n === 1 ? 'point' : 'points'}`;

// status is the line below the matrix.
export function status(state, seat) {
  const {match, turn, phase} = state;
  switch (phase) {
    case 'attract': return 'A demo: start a match, or press a key';
    case 'menu': return `Menu${state.page === 'menu' ? '' : `, ${state.page}`}: ${state.item}`;
    case 'pause': return `Paused: ${state.item}`;
    case 'dark': return 'The LEDs are off: press a key';
    case 'admit': return 'A browser asks to play: choose its digit with the joystick, or refuse with up';
    case 'look': return looking(state);
    case 'puzzle': return 'Making a puzzle …';
    case 'over': return 'The game has ended';
    case 'thinking': return `${capital(who(turn, match))}, is thinking`;
    case 'victory': return ending(state);
    case 'hint': return hint(state);
  }
  if (state.puzzle && state.outcome && phase !== 'fall') return 'The puzzle is solved';
  if (state.puzzle && turn && turn !== match?.computer) {
    return `Puzzle: ${turn} wins with ${state.puzzle.discs === 1 ? 'one disc' : `${state.puzzle.discs} discs`}`;
  }
  if (state.winner) return ending(state);
  if (state.outcome === 'draw') return 'A draw: no point';
  if (state.outcome && phase !== 'fall') return `${capital(who(state.outcome, match))} wins the round`.replace('computer wins', 'computer, wins');
  if (phase === 'fall') return '';
  if (turn === match?.computer) return `${capital(turn)}, the computer, is thinking`;
  if (seat) return seat === turn ? 'Your turn' : `Waiting for ${turn}`;
  if (match?.computer) return 'Your turn';
  return turn ? `${capital(turn)} to move` : '';
}

// looking says which disc is shown while looking back, and whether it changed the outcome.
function looking({look, match}) {
  const at = round({match}).length;
  const discs = `${look.rounds > 1 ? `round ${look.round}, ` : ''}disc ${at} of ${look.discs}`;
  if (!look.exact || !look.last?.known || at === 0) return `Looking back: ${discs}`;
  const worth = (score) => ['a loss', 'a draw', 'a win'][Math.sign(score) + 1];
  const {before, after} = look.last;
  return `Looking back: ${discs} ` + (Math.sign(before) === Math.sign(after) ? `kept ${worth(after)}` : `turned ${worth(before)} into ${worth(after)}`);
}

// ending says who won the match.
export function ending(state) {
  const {winner, match} = state;
  const other = Object.keys(state.points).find((name) => name !== winner);
  const score = `${state.points[winner]}–${state.points[other]}`;
  if (match?.computer) return winner === match.computer ? `The computer wins the match ${score}` : `You win the match ${score}`;
  return `${capital(winner)} wins the match ${score}`;
}

// hint names the best columns, and says whether they win, draw or lose.
export function hint(state) {
  if (!state.hint) return 'Hint';
  const open = state.hint.scores.map((score, i) => ({score, column: i + 1})).filter(({score}) => score !== null);
  const best = Math.max(...open.map(({score}) => score));
  const columns = open.filter(({score}) => score === best).map(({column}) => column);
  const [one, several] = best > 0 ? ['wins', 'win'] : best < 0 ? ['loses last', 'lose last'] : state.hint.exact ? ['draws', 'draw'] :
    ['is best as far as can be seen', 'are best as far as can be seen'];
  if (columns.length === 1) return `Hint: column ${columns[0]} ${one}`;
  return `Hint: columns ${columns.slice(0, -1).join(', ')} and ${columns.at(-1)} ${several}`;
}

// news is what has happened between two states, for people who do not see the board.
export function news(before, now, starter) {
  const said = [];
  const match = now.match, sameMatch = match && before?.match?.id === match.id;
  if (match && !sameMatch && now.under_way) {
    const players = match.computer ? `against the computer, level ${match.level}` : 'for two';
    said.push(`A match ${players}, ${match.connect} in a line, first to ${points(match.points)}.`);
  }
  if (match && (sameMatch || now.under_way)) {
    const was = sameMatch && before.match.rounds.length === match.rounds.length ? round(before) : '';
    const is = round(now);
    if (is.length < was.length && now.phase !== 'look') said.push('A disc is taken back.');
    for (let ply = was.length; ply < is.length && is.length - was.length < 4; ply++) {
      said.push(move(is, ply, mover(ply, starter, match), match) + '.');
    }
  }
  const same = now.phase === 'look' ? before && status(now) === status(before) : now.item === before?.item && now.notice?.text === before?.notice?.text;
  if (now.phase === before?.phase && same) return said;
  if (now.notice && now.notice.text !== before?.notice?.text) said.push(capital(now.notice.text) + '.');
  if (now.phase === 'cheer' || now.phase === 'draw' && before?.phase !== 'draw') {
    const score = Object.entries(now.points).map(([name, n]) => `${name} ${n}`).join(', ');
    said.push(now.puzzle ? status(now) + '.' : now.outcome === 'draw' ? `A draw. ${capital(score)}.` : `${capital(now.outcome)} wins the round. ${capital(score)}.`);
  }
  if (now.puzzle && now.phase === 'aim' && !playing.has(before?.phase)) said.push(status(now) + '.');
  if (now.phase === 'victory') said.push(ending(now) + '.');
  if (['menu', 'pause', 'hint', 'look', 'dark', 'attract', 'admit'].includes(now.phase)) said.push(status(now) + '.');
  return said;
}
