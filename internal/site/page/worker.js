// A worker with the game, or with the brain beside it: Go's program as WebAssembly. Messages
// are lists, a name and what belongs to it.

importScripts('wasm_exec.js');

const names = ['answer', 'show', 'save', 'finish', 'think', 'forget', 'ready'];

onmessage = async ({data}) => {
  const [name, ...what] = data;
  if (name !== 'start') return self.c4hat[name](...what);
  const [module, role, saved] = what;
  self.c4hat = {role, saved};
  for (const n of names) self.c4hat[n] = (...args) => postMessage([n, ...args]);
  const go = new Go();
  go.run(await WebAssembly.instantiate(module, go.importObject));
};
