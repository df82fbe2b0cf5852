// Cistern's gateway, in each page before anything else, and before each worker's own script.
// Addresses that a script makes while it runs are given the gateway's names; what this misses, the page's policy stops.
// Empty frames that a page makes share its origin and are entered too: `self` is the window that is set up.
(function enter(self, door) {
  'use strict';
  var mark = Symbol.for('cistern.gateway');
  var document = self.document, location = self.location;
  var page = document !== undefined;
  if (self[mark] && self[mark].of === document) return;

  var own = '.{{domain}}';

  function base() { return page ? document.baseURI : location.href; }
  function inside(host) { return ('.' + host).endsWith(own); }

  // The gateway's address for one of the web's; anything else comes back as it was.
  function map(address) {
    if (typeof address !== 'string' && !/^\[object (?:URL|Location)\]$/.test(Object.prototype.toString.call(address)))
      return address;  // a trusted type
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
    }).replace(/(@import\s+)(["'])((?:https?:)?\/\/[^"']+)\2/gi, function (all, at, quote, url) {
      return at + quote + map(url) + quote;
    });
  }
  function mapMarkup(text) {
    if (typeof text !== 'string') return text;
    return text
      .replace(/(\s(?:src|href|action|formaction|poster|data|background|xlink:href)\s*=\s*)(["']?)((?:https?:)?\/\/[^"'\s>]+)/gi,
        function (all, name, quote, url) { return name + quote + String(map(url.replace(/&amp;/g, '&'))).replace(/&/g, '&amp;'); })
      .replace(/(\ssrcdoc\s*=\s*)(?:"([^"]*)"|'([^']*)')/gi, function (all, name, one, other) {
        var text = (one === undefined ? other : one).replace(/&quot;/g, '"').replace(/&#39;/g, "'").replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&amp;/g, '&');
        return name + '"' + inner(text).replace(/&/g, '&amp;').replace(/"/g, '&quot;') + '"';
      })
      .replace(/(\ssrcset\s*=\s*)("[^"]*"|'[^']*')/gi, function (all, name, value) { return name + mapSet2(value); })
      .replace(/url\(\s*((?:https?:)?\/\/[^"')\s]+)\s*\)/gi, function (all, url) { return 'url(' + map(url) + ')'; });
  }
  // A page inside this one is bound as this one is, also where it is out of our service worker's sight (sandbox).
  function inner(markup) {
    if (typeof markup !== 'string') return markup;
    var here = "'self' http://*" + own + door;
    return '<meta http-equiv="Content-Security-Policy" content="default-src ' + here + ' ws://*' + own + door +
      " data: blob: filesystem: about: 'unsafe-inline' 'unsafe-eval'; form-action " + here + '; base-uri ' + here + '">' + mapMarkup(markup);
  }
  Object.defineProperty(self, mark, { value: { of: document, map: map, inside: inside }, configurable: true });
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
    var changed = function () { return old.apply(this, change(Array.prototype.slice.call(arguments), this)); };
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
      set: function (value) { old.set.call(this, change(value, this)); frames(); }
    });
  }

  // Windows of our origin that no page of the site's has come to yet.
  var known = 0;
  function look(other) {
    try { if (other && other !== self && other.location.protocol === 'about:') enter(other, door); } catch (e) { /* another's */ }
    return other;
  }
  function frames() {
    if (!page || self.length === known) return;
    known = self.length;
    for (var i = 0; i < known; ++i) look(self[i]);
  }
  function after(object, name) {
    var old = object && object[name];
    if (typeof old !== 'function') return;
    Object.defineProperty(object, name, {
      configurable: true, writable: true, enumerable: true,
      value: { [name]: function () { var out = old.apply(this, arguments); frames(); return out; } }[name]
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
  around(self, 'fetchLater', first(request));
  made('Request', first(request));
  made('WebSocket', first(map));
  made('EventSource', first(map));
  made('Worker', first(map));
  made('SharedWorker', first(map));
  made('Audio', first(map));
  made('FontFace', function (args) { if (args.length > 1) args[1] = mapStyle(args[1]); return args; });
  if (self.Worklet) around(self.Worklet.prototype, 'addModule', first(map));
  if (self.XMLHttpRequest)
    around(self.XMLHttpRequest.prototype, 'open', function (args) { if (args.length > 1) args[1] = map(args[1]); return args; });
  if (self.Navigator) around(self.Navigator.prototype, 'sendBeacon', first(map));
  if (self.importScripts) around(self, 'importScripts', function (args) { return args.map(map); });
  ['RTCPeerConnection', 'webkitRTCPeerConnection', 'RTCDataChannel', 'WebTransport'].forEach(function (name) {
    if (self[name]) try { Object.defineProperty(self, name, { value: undefined, configurable: false }); } catch (e) { /* kept */ }
  });
  if (self.MessageEvent) {
    var origin = Object.getOwnPropertyDescriptor(self.MessageEvent.prototype, 'origin');
    if (origin && origin.get) Object.defineProperty(self.MessageEvent.prototype, 'origin', {
      configurable: true, enumerable: origin.enumerable, get: function () { return back(origin.get.call(this)); }
    });
  }
  if (!page) return;

  // What a page's elements are told.
  [['HTMLImageElement', 'src'], ['HTMLScriptElement', 'src'], ['HTMLLinkElement', 'href'], ['HTMLAnchorElement', 'href'],
   ['HTMLAreaElement', 'href'], ['HTMLBaseElement', 'href'], ['HTMLIFrameElement', 'src'], ['HTMLFrameElement', 'src'],
   ['HTMLEmbedElement', 'src'], ['HTMLObjectElement', 'data'], ['HTMLMediaElement', 'src'], ['HTMLSourceElement', 'src'],
   ['HTMLTrackElement', 'src'], ['HTMLInputElement', 'src'], ['HTMLInputElement', 'formAction'], ['HTMLButtonElement', 'formAction'],
   ['HTMLFormElement', 'action'], ['HTMLVideoElement', 'poster'], ['SVGAnimatedString', 'baseVal']].forEach(function (each) { setter(each[0], each[1], map); });
  setter('HTMLImageElement', 'srcset', mapSet);
  setter('HTMLSourceElement', 'srcset', mapSet);
  setter('HTMLLinkElement', 'imageSrcset', mapSet);
  setter('HTMLIFrameElement', 'srcdoc', inner);
  function styleText(value, element) { return element instanceof self.HTMLStyleElement ? mapStyle(value) : value; }
  setter('Node', 'textContent', styleText);
  setter('HTMLElement', 'innerText', styleText);
  setter('Attr', 'value', function (value, attr) { return attribute(attr.name, value); });
  setter('Element', 'innerHTML', mapMarkup);
  setter('Element', 'outerHTML', mapMarkup);
  setter('CSSStyleDeclaration', 'cssText', mapStyle);
  setter('Document', 'cookie', function (text) { return String(text).replace(/;\s*domain\s*=[^;]*/gi, ''); });
  around(self.Element.prototype, 'insertAdjacentHTML', function (args) { if (args.length > 1) args[1] = mapMarkup(args[1]); return args; });
  around(self.Range.prototype, 'createContextualFragment', first(mapMarkup));
  around(self.Document.prototype, 'write', function (args) { return args.map(mapMarkup); });
  around(self.Document.prototype, 'writeln', function (args) { return args.map(mapMarkup); });
  around(self.CSSStyleDeclaration.prototype, 'setProperty', function (args) { if (args.length > 1) args[1] = mapStyle(args[1]); return args; });
  ['insertRule', 'replace', 'replaceSync'].forEach(function (name) { around(self.CSSStyleSheet.prototype, name, first(mapStyle)); });

  var addresses = /^(?:src|href|xlink:href|action|formaction|poster|data|background|ping)$/i;
  function attribute(name, value) {
    if (addresses.test(name)) return map(value);
    if (/^(?:srcset|imagesrcset)$/i.test(name)) return mapSet(value);
    if (/^srcdoc$/i.test(name)) return inner(value);
    return /^style$/i.test(name) ? mapStyle(value) : value;
  }
  around(self.Element.prototype, 'setAttribute', function (args) { if (args.length > 1) args[1] = attribute(String(args[0]), args[1]); return args; });
  around(self.Element.prototype, 'setAttributeNS', function (args) { if (args.length > 2) args[2] = attribute(String(args[1]), args[2]); return args; });

  ['pushState', 'replaceState'].forEach(function (name) {
    around(self.History.prototype, name, function (args) { if (args.length > 2 && args[2] != null) args[2] = map(args[2]); return args; });
  });
  var open = self.open;
  self.open = function (url) {
    var args = Array.prototype.slice.call(arguments);
    if (url) args[0] = map(url);
    return look(open.apply(this, args));
  };
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
  self.addEventListener('click', follow, true);
  self.addEventListener('auxclick', follow, true);
  self.addEventListener('submit', function (event) {
    var action = event.target.getAttribute && event.target.getAttribute('action');
    if (action && map(action) !== action) event.target.setAttribute('action', action);
  }, true);
  if (self.navigation && self.navigation.addEventListener) self.navigation.addEventListener('navigate', function (event) {
    var to = map(event.destination.url);
    if (to === event.destination.url || !event.cancelable || event.formData) return;
    event.preventDefault();
    self.setTimeout(function () { location.href = to; }, 0);
  });
  new self.MutationObserver(function (changes) {
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

  // Frames: whatever puts one in place, and whatever hands out its window.
  ['appendChild', 'insertBefore', 'replaceChild'].forEach(function (name) { after(self.Node.prototype, name); });
  ['append', 'prepend', 'before', 'after', 'replaceWith', 'replaceChildren', 'insertAdjacentElement', 'insertAdjacentHTML', 'setHTMLUnsafe'].forEach(
    function (name) { after(self.Element.prototype, name); });
  ['append', 'prepend', 'replaceChildren', 'write', 'writeln'].forEach(function (name) { after(self.Document.prototype, name); });
  after(self.Range.prototype, 'insertNode');
  ['HTMLIFrameElement', 'HTMLFrameElement', 'HTMLObjectElement'].forEach(function (kind) {
    ['contentWindow', 'contentDocument'].forEach(function (name) {
      var proto = self[kind] && self[kind].prototype;
      var old = proto && Object.getOwnPropertyDescriptor(proto, name);
      if (!old || !old.get) return;
      Object.defineProperty(proto, name, {
        configurable: true, enumerable: old.enumerable,
        get: function () {
          var out = old.get.call(this);
          look(name === 'contentWindow' ? out : out && out.defaultView);
          return out;
        }
      });
    });
  });

  // Our service worker, where the site has none of its own: it gives names to what no script sees, such as modules that
  // modules import. The site is not shown it. A later page has it; this one has its policy.
  var worker = '/.well-known/cistern/worker.js';
  var container;
  try { container = self.navigator.serviceWorker; } catch (e) { /* in a sandbox */ }
  if (!container) return;
  var plain = self.ServiceWorkerContainer.prototype;
  var find = plain.getRegistration, list = plain.getRegistrations, register = plain.register;
  function isOurs(one) { return !!one && new URL(one.scriptURL).pathname === worker; }
  function hasOurs(entry) { return !!entry && isOurs(entry.active || entry.waiting || entry.installing); }
  var controller = Object.getOwnPropertyDescriptor(plain, 'controller');
  Object.defineProperty(plain, 'controller', {
    configurable: true, enumerable: true,
    get: function () { var one = controller.get.call(this); return isOurs(one) ? null : one; }
  });
  plain.getRegistration = function getRegistration() {
    return find.apply(this, arguments).then(function (entry) { return hasOurs(entry) ? undefined : entry; });
  };
  plain.getRegistrations = function getRegistrations() {
    return list.apply(this, arguments).then(function (all) { return all.filter(function (entry) { return !hasOurs(entry); }); });
  };
  around(plain, 'register', first(map));
  var trusting = document.currentScript && document.currentScript.dataset.worker === 'no';
  if (self !== self.top || !self.isSecureContext || trusting) return;
  self.addEventListener('load', function () {
    self.setTimeout(function () {  // the site's own goes first
      find.call(container).then(function (entry) { return entry || register.call(container, worker, { scope: '/' }); }).catch(function () {});
    }, 1500);
  });
})(self, (function (url) { return url.port ? ':' + url.port : ''; })(new URL(self.document ? document.baseURI : location.href)));
