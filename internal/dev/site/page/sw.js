// The service worker keeps the page's files, so that the page works without a network once it has been
// seen. A new version waits until no page uses the old one, so their files never mix. internal/dev/site/build
// fills in the version and the files.

const mine = `c4hat ${registration.scope} `, version = mine + 'VERSION';
const files = [FILES];

addEventListener('install', (e) => e.waitUntil((async () => {
  const kept = await caches.open(version);
  await kept.addAll(files.map((file) => new Request(file, {cache: 'no-cache'})));
})()));

addEventListener('activate', (e) => e.waitUntil((async () => {
  for (const name of await caches.keys()) if (name.startsWith(mine) && name !== version) await caches.delete(name);
})()));

addEventListener('fetch', (e) => e.respondWith((async () => {
  const kept = await caches.open(version);
  return await kept.match(e.request, {ignoreSearch: true}) || fetch(e.request);
})()));
