// Cistern's gateway, in each page before anything else, and before each worker's own script.
// Addresses that a script makes while it runs are given the gateway's names; what this misses, the page's policy stops.
(function () {
  'use strict';
  var mark = Symbol.for('cistern.gateway');
  if (self[mark]) return;
  Object.defineProperty(self, mark, { value: true });

  var own = '.{{domain}}';
  var door = location.port ? ':' + location.port : '';
  var page = typeof document !== 'undefined';

  function base() { return page ? document.baseURI : location.href; }
  function inside(host) { return ('.' + host).endsWith(own); }

  // The gateway's address for one of the web's; anything else comes back as it was.
  function map(address) {
    if (typeof address !== 'string' && !(address instanceof URL) && address !== location) return address;  // a trusted type
    var url;
    try { url = new URL(String(address), base()); } catch (e) { return address; }
    var socket = url.protocol === 'ws:' || url.protocol === 'wss:';
    if (!socket && url.protocol !== 'http:' && url.protocol !== 'https:') return address;
    var scheme = socket ? 'ws://' : 'http://';
    var rest = url.pathname + url.search + url.hash;
    if (inside(url.hostname)) {
      var secure = url.protocol === 'https:' || url.protocol === 'wss:';
      return secure ? scheme + url.host + rest : address;
    }
    if (url.hostname === 'localhost' || url.hostname[0] === '[') return address;
    return scheme + url.hostname + (url.port ? '--' + url.port : '') + own + door + rest;
  }
  function mapSet(set) {
    if (typeof set !== 'string') return set;
    return set.replace(/(^|,\s+|,(?=https?:|\/\/))(\s*)((?:https?:)?\/\/[^\s]+)/gi, function (all, comma, blank, url) {
      var tail = /,+$/.exec(url);
      return comma + blank + map(tail ? url.slice(0, -tail[0].length) : url) + (tail ? tail[0] : '');
    });
  }
  function mapStyle(text) {
    if (typeof text !== 'string') return text;
    return text.replace(/url\(\s*(["']?)((?:https?:)?\/\/[^"')]+)\1\s*\)/gi, function (all, quote, url) {
      return 'url("' + map(url) + '")';
    });
  }
  function mapMarkup(text) {
    if (typeof text !== 'string') return text;
    return text
      .replace(/(\s(?:src|href|action|formaction|poster|data|background|xlink:href)\s*=\s*)(["']?)((?:https?:)?\/\/[^"'\s>]+)/gi,
        function (all, name, quote, url) { return name + quote + String(map(url.replace(/&amp;/g, '&'))).replace(/&/g, '&amp;'); })
      .replace(/(\ssrcset\s*=\s*)("[^"]*"|'[^']*')/gi, function (all, name, value) { return name + mapSet2(value); })
      .replace(/url\(\s*((?:https?:)?\/\/[^"')\s]+)\s*\)/gi, function (all, url) { return 'url(' + map(url) + ')'; });
  }
  function mapSet2(quoted) { return quoted[0] + mapSet(quoted.slice(1, -1)) + quoted[0]; }
  // "https://a.org" for "http://a.org.localhost:8910"
  function back(origin) {
    try {
      var url = new URL(origin);
      if (!inside(url.hostname)) return origin;
      var host = url.hostname.slice(0, -own.length).replace(/--(\d+)$/, ':$1');
      return 'https://' + host;
    } catch (e) { return origin; }
  }

  function around(object, name, change) {
    var old = object && object[name];
    if (typeof old !== 'function') return;
    var changed = function () { return old.apply(this, change(Array.prototype.slice.call(arguments))); };
    try {
      Object.defineProperty(changed, 'name', { value: name });
      Object.defineProperty(object, name, { value: changed, configurable: true, writable: true, enumerable: true });
    } catch (e) { /* frozen: the policy is left */ }
  }
  function first(change) {
    return function (args) { if (args.length) args[0] = change(args[0]); return args; };
  }
  function made(name, change) {
    var old = self[name];
    if (typeof old !== 'function') return;
    self[name] = new Proxy(old, {
      construct: function (target, args, newTarget) { return Reflect.construct(target, change(args), newTarget); }
    });
  }
  function setter(kind, name, change) {
    var proto = self[kind] && self[kind].prototype;
    var old = proto && Object.getOwnPropertyDescriptor(proto, name);
    if (!old || !old.set) return;
    Object.defineProperty(proto, name, {
      configurable: true, enumerable: old.enumerable, get: old.get,
      set: function (value) { old.set.call(this, change(value)); }
    });
  }

  // What asks the network by itself, in pages and workers.
  var PlainRequest = self.Request;
  function request(input) {
    if (PlainRequest && input instanceof PlainRequest) {
      var to = map(input.url);
      return to === input.url ? input : new PlainRequest(to, input);
    }
    return map(input);
  }
  around(self, 'fetch', first(request));
  made('Request', first(request));
  made('WebSocket', first(map));
  made('EventSource', first(map));
  made('Worker', first(map));
  made('SharedWorker', first(map));
  if (self.XMLHttpRequest)
    around(XMLHttpRequest.prototype, 'open', function (args) { if (args.length > 1) args[1] = map(args[1]); return args; });
  if (self.Navigator) around(Navigator.prototype, 'sendBeacon', first(map));
  if (self.importScripts) around(self, 'importScripts', function (args) { return args.map(map); });
  if (self.ServiceWorkerContainer) around(ServiceWorkerContainer.prototype, 'register', first(map));
  ['RTCPeerConnection', 'webkitRTCPeerConnection', 'RTCDataChannel', 'WebTransport'].forEach(function (name) {
    if (self[name]) try { Object.defineProperty(self, name, { value: undefined, configurable: false }); } catch (e) { /* kept */ }
  });
  if (self.MessageEvent) {
    var origin = Object.getOwnPropertyDescriptor(MessageEvent.prototype, 'origin');
    if (origin && origin.get) Object.defineProperty(MessageEvent.prototype, 'origin', {
      configurable: true, enumerable: origin.enumerable, get: function () { return back(origin.get.call(this)); }
    });
  }
  if (!page) return;

  // What a page's elements are told.
  [['HTMLImageElement', 'src'], ['HTMLScriptElement', 'src'], ['HTMLLinkElement', 'href'], ['HTMLAnchorElement', 'href'],
   ['HTMLAreaElement', 'href'], ['HTMLBaseElement', 'href'], ['HTMLIFrameElement', 'src'], ['HTMLFrameElement', 'src'],
   ['HTMLEmbedElement', 'src'], ['HTMLObjectElement', 'data'], ['HTMLMediaElement', 'src'], ['HTMLSourceElement', 'src'],
   ['HTMLTrackElement', 'src'], ['HTMLInputElement', 'src'], ['HTMLInputElement', 'formAction'], ['HTMLButtonElement', 'formAction'],
   ['HTMLFormElement', 'action'], ['HTMLVideoElement', 'poster']].forEach(function (each) { setter(each[0], each[1], map); });
  setter('HTMLImageElement', 'srcset', mapSet);
  setter('HTMLSourceElement', 'srcset', mapSet);
  setter('HTMLLinkElement', 'imageSrcset', mapSet);
  setter('HTMLIFrameElement', 'srcdoc', mapMarkup);
  setter('Element', 'innerHTML', mapMarkup);
  setter('Element', 'outerHTML', mapMarkup);
  setter('CSSStyleDeclaration', 'cssText', mapStyle);
  setter('Document', 'cookie', function (text) { return String(text).replace(/;\s*domain\s*=[^;]*/gi, ''); });
  around(Element.prototype, 'insertAdjacentHTML', function (args) { if (args.length > 1) args[1] = mapMarkup(args[1]); return args; });
  around(Range.prototype, 'createContextualFragment', first(mapMarkup));
  around(Document.prototype, 'write', function (args) { return args.map(mapMarkup); });
  around(Document.prototype, 'writeln', function (args) { return args.map(mapMarkup); });
  around(CSSStyleDeclaration.prototype, 'setProperty', function (args) { if (args.length > 1) args[1] = mapStyle(args[1]); return args; });
  if (self.CSSStyleSheet) around(CSSStyleSheet.prototype, 'insertRule', first(mapStyle));

  var addresses = /^(?:src|href|xlink:href|action|formaction|poster|data|background|ping)$/i;
  function attribute(name, value) {
    if (addresses.test(name)) return map(value);
    if (/^(?:srcset|imagesrcset)$/i.test(name)) return mapSet(value);
    return /^style$/i.test(name) ? mapStyle(value) : value;
  }
  around(Element.prototype, 'setAttribute', function (args) { if (args.length > 1) args[1] = attribute(String(args[0]), args[1]); return args; });
  around(Element.prototype, 'setAttributeNS', function (args) { if (args.length > 2) args[2] = attribute(String(args[1]), args[2]); return args; });

  ['pushState', 'replaceState'].forEach(function (name) {
    around(History.prototype, name, function (args) { if (args.length > 2 && args[2] != null) args[2] = map(args[2]); return args; });
  });
  around(self, 'open', function (args) { if (args.length && args[0]) args[0] = map(args[0]); return args; });
  around(self, 'postMessage', function (args) {
    if (typeof args[1] === 'string' && /^https?:/.test(args[1])) args[1] = new URL(map(args[1])).origin;
    return args;
  });

  // The last net: whatever still names the live web is set right before it is followed.
  function follow(event) {
    var path = event.composedPath ? event.composedPath() : [event.target];
    for (var i = 0; i < path.length; ++i) {
      var name = path[i].localName;
      if (name !== 'a' && name !== 'area') continue;
      var href = path[i].getAttribute('href') || path[i].getAttribute('xlink:href');
      if (href && map(href) !== href) path[i].setAttribute('href', href);
      return;
    }
  }
  addEventListener('click', follow, true);
  addEventListener('auxclick', follow, true);
  addEventListener('submit', function (event) {
    var action = event.target.getAttribute && event.target.getAttribute('action');
    if (action && map(action) !== action) event.target.setAttribute('action', action);
  }, true);
  if (self.navigation && navigation.addEventListener) navigation.addEventListener('navigate', function (event) {
    var to = map(event.destination.url);
    if (to === event.destination.url || !event.cancelable || event.formData) return;
    event.preventDefault();
    setTimeout(function () { location.href = to; }, 0);
  });
  new MutationObserver(function (changes) {
    changes.forEach(function (change) {
      if (change.type === 'attributes') return mend(change.target);
      change.addedNodes.forEach(function (node) {
        if (node.nodeType !== 1) return;
        mend(node);
        node.querySelectorAll('[src],[href],[srcset],[action],[poster],[style]').forEach(mend);
      });
    });
  }).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ['src', 'href', 'srcset', 'action', 'poster', 'style'] });
  function mend(element) {
    ['src', 'href', 'srcset', 'action', 'poster', 'style'].forEach(function (name) {
      var value = element.getAttribute(name);
      if (value === null || !/\/\//.test(value)) return;
      var now = attribute(name, value);
      if (now !== value) element.setAttribute(name, now);
    });
  }
})();
