// The page's connection to the game, here through a server. The page without a server has another
// module with the same functions.

const silence = 75_000; // the server sends something every 30 s
const lost = 'The connection is lost. Trying again …';

// ask makes a request of doc/socket.md and returns the answer. An error that it throws has the
// status of the answer.
export async function ask(method, path, body, token, signal) {
  const headers = token ? {'C4hat-Token': token} : {};
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  let answer;
  try {
    answer = await fetch(path, {method, headers, body: body && JSON.stringify(body), cache: 'no-store', signal});
  } catch {
    throw Object.assign(new Error('The connection is lost.'), {status: 0});
  }
  return docOf(answer);
}

async function docOf(answer) {
  const doc = await answer.json().catch(() => ({}));
  if (!answer.ok) throw Object.assign(new Error(doc.error || `error ${answer.status}`), {status: answer.status});
  return doc;
}

// follow passes the server's events to on.you, on.state and on.away, and calls on.lost when the
// connection is lost. Then it reconnects after a pause, or at once when the returned function is
// called. on.token is the token of a seat, or empty.
export function follow(on) {
  let stop, wake, pause = 500;
  const again = () => { pause = 500; stop?.abort(); wake?.(); };
  addEventListener('online', () => wake?.());
  document.addEventListener('visibilitychange', () => { if (!document.hidden) wake?.(); });
  (async () => {
    for (;;) {
      stop = new AbortController();
      try {
        await read(stop, on, () => { pause = 500; });
      } catch (e) {
        if (!stop.signal.aborted || e === silence) on.lost(e.message || lost);
      }
      await new Promise((done) => { wake = done; setTimeout(done, pause); });
      pause = Math.min(2 * pause, 8000);
    }
  })();
  return again;
}

// read reads events until the connection is lost, then throws an error.
async function read(stop, on, connected) {
  let timer;
  const heard = () => { clearTimeout(timer); timer = setTimeout(() => stop.abort(silence), silence); };
  heard();
  try {
    const answer = await fetch('v1/events', {
      headers: on.token ? {'C4hat-Token': on.token} : {}, signal: stop.signal, cache: 'no-store',
    }).catch((e) => { throw stop.signal.aborted ? e : new Error(lost); });
    if (!answer.ok) await docOf(answer);
    connected();
    const text = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = ''; ;) {
      const {done, value} = await text.read();
      if (done) throw new Error(lost);
      heard();
      rest += value;
      const events = rest.split('\n\n');
      rest = events.pop();
      for (const event of events) {
        const [, kind = 'state', data] = /^(?:event: (\w+)\n)?data: ?(.*)$/.exec(event) || [];
        if (data) on[kind]?.(JSON.parse(data));
      }
    }
  } finally {
    clearTimeout(timer);
  }
}
