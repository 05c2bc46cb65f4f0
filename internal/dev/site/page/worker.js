// A worker that runs a Go program as WebAssembly: the game or, in the role brain, the computer. A
// message is a list of a name and its arguments.

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
