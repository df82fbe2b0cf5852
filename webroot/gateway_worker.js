// Behind gateway.js in service workers: before a site's own, or alone where a site has none.
// Requests for the live web that a page makes past its script get the gateway's names here. Pages that come through may
// name scripts of the live web, as modules do (their policy is the second below instead of the first); pages that a
// site's own worker makes up get a policy too. This worker itself is bound by the first.
(function () {
  'use strict';
  if (typeof ServiceWorkerGlobalScope === 'undefined' || !(self instanceof ServiceWorkerGlobalScope)) return;
  var names = self[Symbol.for('cistern.gateway')];
  var own = '/.well-known/cistern/worker.js';
  var policy = "{{policy}}", withWorker = "{{with_worker}}";
  var alone = location.pathname === own;

  // A page as it may be shown.
  function bound(response) {
    if (!response || response.status === 0 || /^(?:error|opaque|opaqueredirect)$/.test(response.type)) return response;
    var said = response.headers.get('Content-Security-Policy') || '';
    if (said.indexOf(withWorker) < 0)
      said = said.indexOf(policy) >= 0 ? said.replace(policy, withWorker) : (said ? said + ', ' : '') + withWorker;
    var headers = new Headers(response.headers);
    headers.set('Content-Security-Policy', said);
    return new Response(response.body, { status: response.status, statusText: response.statusText, headers: headers });
  }
  function carried(request) {
    var to = names.map(request.url);
    if (to === request.url || (request.method !== 'GET' && request.method !== 'HEAD')) return Response.error();
    return fetch(new Request(to, request));
  }

  // The site's own listeners are asked by ours.
  var site = [];
  var add = self.addEventListener, remove = self.removeEventListener;
  self.addEventListener = function addEventListener(type, listener) {
    if (type !== 'fetch') return add.apply(self, arguments);
    if (listener && site.indexOf(listener) < 0) site.push(listener);
  };
  self.removeEventListener = function removeEventListener(type, listener) {
    if (type !== 'fetch') return remove.apply(self, arguments);
    site = site.filter(function (one) { return one !== listener; });
  };
  var handler = null;
  Object.defineProperty(self, 'onfetch', {
    configurable: true, enumerable: true,
    get: function () { return handler; },
    set: function (value) {
      self.removeEventListener('fetch', handler);
      handler = typeof value === 'function' ? value : null;
      self.addEventListener('fetch', handler);
    }
  });

  add.call(self, 'fetch', function (event) {
    var request = event.request;
    var shown = request.mode === 'navigate' || /^(?:document|i?frame|worker|sharedworker)$/.test(request.destination);
    if (!names.inside(new URL(request.url).hostname) && request.mode !== 'navigate')
      return event.respondWith(carried(request));
    var answered = false;
    var respond = event.respondWith;
    event.respondWith = function (given) {
      answered = true;
      return respond.call(event, shown ? Promise.resolve(given).then(bound) : given);
    };
    site.slice().forEach(function (listener) {
      try {
        if (typeof listener === 'function') listener.call(self, event); else listener.handleEvent(event);
      } catch (error) { setTimeout(function () { throw error; }); }
    });
    if (answered || request.mode !== 'navigate') return;
    var early = alone && event.preloadResponse ? event.preloadResponse : undefined;
    event.respondWith(Promise.resolve(early).then(function (response) { return response || fetch(request); }));
  });

  add.call(self, 'install', function () {  // a site's own worker need not wait for ours to go
    var before = self.registration.active;
    if (!alone && before && new URL(before.scriptURL).pathname === own) self.skipWaiting();
  });
  add.call(self, 'activate', function (event) {  // navigations need not wait for this worker to start
    if (alone && self.registration.navigationPreload) event.waitUntil(self.registration.navigationPreload.enable());
  });
})();
