// The page's connection to the game, here through a server. The page without a server has another
// module with the same functions.

const silence = 9500; // the game sends a heartbeat every 5 s
const limit = 3000; // the time of a press; the game does not begin to carry it out in the last half second
export const lost = 'The connection is lost. Trying again …';

let ahead = 0, heard = 0; // how far the game's clock is ahead of this page's; when the last heartbeat came

// stamp returns the time of a press on the game's clock.
export const stamp = () => Math.round(ahead + performance.now());

// ask makes a request of doc/socket.md and returns the answer. An error that it throws has the
// status of the answer, or 0 if none came; then its text is lost. A request that plays has the
// time at which somebody pressed.
export async function ask(method, path, body, {token, signal, pressed} = {}) {
  const headers = token ? {'C4hat-Token': token} : {};
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  if (pressed) {
    headers['C4hat-Until'] = pressed + limit - 500;
    signal = AbortSignal.timeout(Math.max(0, limit - (stamp() - pressed)));
  }
  const answer = await fetch(path, {method, headers, body: body && JSON.stringify(body), cache: 'no-store', signal})
    .catch(() => { throw Object.assign(new Error(lost), {status: 0}); });
  return docOf(answer);
}

async function docOf(answer) {
  const doc = await answer.json().catch(() => ({}));
  if (answer.ok) return doc;
  const away = answer.status === 502 || !doc.error; // the server cannot reach the game
  throw Object.assign(new Error(away ? lost : doc.error), {status: away ? 0 : answer.status, code: doc.code});
}

// follow passes what this browser may do to on.you, and the game's states to on.state. It calls on.unseated
// if on.token, the token of a seat or empty, holds no seat any more, and on.lost when the connection is lost.
// Then it reconnects after a pause, or at once when the returned function is called.
export function follow(on) {
  let stop, wake, pause = 500;
  const again = () => { pause = 500; stop?.abort(); wake?.(); };
  addEventListener('online', () => wake?.());
  addEventListener('offline', () => stop?.abort(silence));
  document.addEventListener('visibilitychange', () => { // timers of a hidden page are late
    if (!document.hidden) performance.now() - heard > silence ? again() : wake?.();
  });
  (async () => {
    for (;;) {
      stop = new AbortController();
      try {
        await read(stop, on, () => { pause = 500; });
      } catch (e) {
        if (e.code === 'no-seat') on.unseated();
        else if (!stop.signal.aborted || stop.signal.reason === silence) on.lost(e.status ? e.message : lost);
      }
      await new Promise((done) => { wake = done; setTimeout(done, pause); });
      pause = Math.min(2 * pause, 4000);
    }
  })();
  return again;
}

// read reads events until the connection is lost, then throws an error.
async function read(stop, on, connected) {
  let timer;
  const hear = () => { clearTimeout(timer); timer = setTimeout(() => stop.abort(silence), silence); };
  hear();
  try {
    const you = await ask('GET', 'v1/you', undefined, {signal: stop.signal});
    on.you(you);
    if (you.closed) {
      clearTimeout(timer);
      await new Promise((_, end) => stop.signal.addEventListener('abort', end)); // until the browser is paired
    }
    const answer = await fetch('v1/events', {
      headers: on.token ? {'C4hat-Token': on.token} : {}, signal: stop.signal, cache: 'no-store',
    });
    if (!answer.ok) await docOf(answer);
    connected();
    const text = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = ''; ;) {
      const {done, value} = await text.read();
      if (done) throw new Error(lost);
      hear();
      rest += value;
      const events = rest.split('\n\n');
      rest = events.pop();
      for (const event of events) {
        if (event[0] === ':') {
          heard = performance.now();
          ahead = Math.max(ahead, Number(event.slice(1)) - heard); // one that has waited for a sleeper seems behind
        }
        else on.state(JSON.parse(event.slice('data:'.length)));
      }
    }
  } finally {
    clearTimeout(timer);
  }
}
