// Everything a script can do to reach somebody else, each kind to a host of its own.
const to = kind => `https://${kind}.outside.test/`
const attempt = run => { try { Promise.resolve(run()).catch(() => {}) } catch { /* refused */ } }
const add = (name, properties, home = document.body) => home.append(Object.assign(home.ownerDocument.createElement(name), properties))
const raw = Function.prototype.call.bind(EventTarget.prototype.addEventListener) // something that was not changed

attempt(() => fetch(to('fetch'), { mode: 'no-cors' }))
attempt(() => { const x = new XMLHttpRequest(); x.open('GET', to('xhr')); x.send() })
attempt(() => navigator.sendBeacon(to('beacon'), 'x'))
attempt(() => new EventSource(to('eventsource')))
attempt(() => new WebSocket(to('websocket').replace('https', 'wss')))
attempt(() => new WebTransport(to('webtransport')))
attempt(() => { const c = new RTCPeerConnection({ iceServers: [{ urls: 'stun:webrtc.outside.test:3478' }] }); c.createDataChannel('x'); return c.createOffer().then(o => c.setLocalDescription(o)) })
attempt(() => { new Image().src = to('image') })
attempt(() => new Audio(to('audio')).load())
attempt(() => new FontFace('y', `url(${to('fontface')})`).load())
attempt(() => { document.body.style.backgroundImage = `url(${to('style')})` })
attempt(() => add('style', { textContent: `@import "${to('styletext')}"; b { background: url(${to('styleurl')}) } b::after { content: "x" }` }, document.head))
attempt(() => add('script', { src: to('script') }))
attempt(() => add('script', { type: 'module', textContent: `import '${to('module')}'` }))
attempt(() => Function(`return import('${to('dynamic-import')}')`)())
for (const rel of ['preconnect', 'dns-prefetch', 'prefetch', 'preload', 'modulepreload', 'stylesheet', 'icon', 'manifest'])
  attempt(() => add('link', { rel, as: 'image', href: to('link-' + rel) }, document.head))
attempt(() => { const l = document.createElement('link'); l.rel = 'preconnect'; const a = document.createAttribute('href'); a.value = to('attribute'); l.setAttributeNode(a); document.head.append(l) })
attempt(() => add('iframe', { src: to('frame2') }))
attempt(() => document.body.insertAdjacentHTML('beforeend', `<img src="${to('markup')}"><link rel=preconnect href=${to('markup-preconnect')}>`))
attempt(() => document.getElementById('form').submit())
attempt(() => document.getElementById('ping').click())
attempt(() => new Worker(URL.createObjectURL(new Blob([`fetch('${to('worker')}', { mode: 'no-cors' }); importScripts('${to('importscripts')}')`]))))
attempt(() => { // a window whose functions nobody has changed
  const frame = document.createElement('iframe')
  document.body.append(frame)
  const w = frame.contentWindow
  attempt(() => w.fetch(to('blank-fetch'), { mode: 'no-cors' }))
  attempt(() => { new w.Image().src = to('blank-image') })
  attempt(() => new w.WebSocket(to('blank-websocket').replace('https', 'wss')))
  attempt(() => { const c = new w.RTCPeerConnection({ iceServers: [{ urls: 'stun:blank-webrtc.outside.test:3478' }] }); c.createDataChannel('x'); return c.createOffer().then(o => c.setLocalDescription(o)) })
  attempt(() => add('link', { rel: 'preconnect', href: to('blank-preconnect') }, w.document.head))
  attempt(() => add('link', { rel: 'dns-prefetch', href: to('blank-dns') }, w.document.head))
  attempt(() => add('link', { rel: 'prefetch', href: to('blank-prefetch') }, w.document.head))
})
attempt(() => { // pages inside, out of reach of a service worker
  const inside = kind => `<img src="${to(kind + '-image')}"><script src="${to(kind + '-script')}"></scr` + `ipt><script>new Image().src = "${to(kind + '-dynamic')}"; fetch("${to(kind + '-fetch')}", { mode: "no-cors" })</scr` + 'ipt>'
  add('iframe', { sandbox: 'allow-scripts', srcdoc: inside('sandbox') })
  add('iframe', { src: 'data:text/html,' + encodeURIComponent(inside('data')) })
  add('iframe', { src: URL.createObjectURL(new Blob([inside('blob')], { type: 'text/html' })) })
  document.body.insertAdjacentHTML('beforeend', `<iframe sandbox="allow-scripts" srcdoc="${inside('markup-sandbox').replace(/"/g, '&quot;')}"></iframe>`)
})
attempt(() => { // the same, not asked for by name
  document.body.insertAdjacentHTML('beforeend', '<iframe></iframe>')
  const w = window[window.length - 1]
  attempt(() => w.fetch(to('index-fetch'), { mode: 'no-cors' }))
  attempt(() => add('link', { rel: 'preconnect', href: to('index-preconnect') }, w.document.head))
})
raw(window, 'load', () => setTimeout(() => { document.title = 'tried' }, 2500))
