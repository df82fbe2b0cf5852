self.addEventListener('install', event => event.waitUntil(fetch('https://api.garden.test/items.json').then(() => self.skipWaiting())))
self.addEventListener('activate', event => event.waitUntil(self.clients.claim()))
