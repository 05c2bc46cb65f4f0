// Browsers load no modules and no programs from a file, so this script is neither.
if (location.protocol === 'file:') {
  globalThis.asFile = 'A browser cannot play from a file: run c4hat web, or python3 -m http.server in this folder.';
  document.getElementById('status').textContent = globalThis.asFile;
}
