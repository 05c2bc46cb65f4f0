// The page's connection to the game, here without a server. The game runs in a worker. A second
// worker plays for the computer and a third one analyses, so that neither task delays the game. The
// page with a server has another module of this name, which exports the same functions.

const most = 500; // how many finished matches are kept
export const lost = globalThis.asFile || 'This browser cannot run the game, which needs WebAssembly: try another browser';
export const stamp = () => 0; // nothing comes between a press and the game

const module = (async () => {
  const packed = await fetch('c4hat.bin');
  if (!packed.ok) throw new Error(`c4hat.bin: ${packed.status}`);
  const unpacked = packed.body.pipeThrough(new DecompressionStream('gzip'));
  return WebAssembly.compileStreaming(new Response(unpacked, {headers: {'Content-Type': 'application/wasm'}}));
})();

// start starts a worker. on has a function for each kind of message from the worker.
function start(role, on, saved = '') {
  const worker = new Worker('worker.js');
  worker.onmessage = ({data: [name, ...what]}) => on[name]?.(...what);
  worker.onerror = (e) => on.failed?.(e.message);
  module.then((m) => worker.postMessage(['start', m, role, saved]), (e) => on.failed?.(e.message));
  return worker;
}

// Brain is a worker that answers one question at a time. It cannot be interrupted: to cancel a
// question, stop ends the worker.
class Brain {
  ask(kind, text, answered) {
    if (this.busy) this.stop();
    this.busy = answered;
    const post = () => this.worker.postMessage(['ask', 0, '', kind, text]);
    if (this.worker) return post();
    this.worker = start('brain', {
      ready: post,
      answer: (_, status, doc) => { const to = this.busy; this.busy = null; to?.(status, doc); },
      failed: (reason) => { this.stop(); answered(500, JSON.stringify({error: reason})); },
    });
  }
  stop() {
    this.worker?.terminate();
    this.worker = this.busy = null;
  }
}

const player = new Brain(), analyst = new Brain();
const waiting = new Map(); // requests without an answer
let last = 0, game, thinks = 0;
const stored = (name) => JSON.parse(localStorage.getItem(name) || '[]');

export function follow(on) {
  navigator.serviceWorker?.register('sw.js').catch(console.error); // the page works without it too
  game = start('game', {
    ready: (you) => { on.you(JSON.parse(you)); ready(); },
    show: (doc) => on.state(JSON.parse(doc)),
    answer: (id, status, doc) => { waiting.get(id)?.(status, doc); waiting.delete(id); },
    save: (doc) => localStorage.setItem('c4hat-match', doc),
    finish: (doc) => localStorage.setItem('c4hat-matches', JSON.stringify([...stored('c4hat-matches'), JSON.parse(doc)].slice(-most))),
    think: (id, text) => {
      thinks = id;
      player.ask('think', text, (status, doc) => game.postMessage(['reply', id, doc, status === 200 ? '' : doc]));
    },
    forget: (id) => { if (id === thinks) player.stop(); },
    failed: (reason) => { console.error(reason); on.lost(lost); },
  }, localStorage.getItem('c4hat-match') || '');
  return () => {};
}

let ready;
const started = new Promise((done) => { ready = done; });

export async function ask(method, path, body) {
  await started;
  const [status, text] = await new Promise((done) => {
    const answered = (...what) => done(what);
    if (path === 'v1/analyse') return analyst.ask(path, JSON.stringify(body), answered);
    let doc = body === undefined ? '' : JSON.stringify(body);
    if (path.startsWith('v1/matches')) [path, doc] = ['v1/matches', JSON.stringify(stored('c4hat-matches'))];
    const id = ++last;
    waiting.set(id, answered);
    game.postMessage(['ask', id, method, path, doc]);
  });
  const doc = JSON.parse(text);
  if (status !== 200) throw Object.assign(new Error(doc.error), {status});
  return doc;
}
