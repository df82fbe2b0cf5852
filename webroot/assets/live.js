// Server-sent events: one stream a page, and none for a page that nobody looks at.
const listeners = []
let source = null
let last = null

function open () {
  if (source || document.hidden) return
  source = new EventSource('/api/v1/events')
  source.addEventListener('status', event => {
    last = JSON.parse(event.data)
    for (const call of listeners) call(last)
  })
}

function close () {
  source?.close()
  source = null
}

/** `call` gets the state of the link and of sync, now and at every change. */
export function listen (call) {
  listeners.push(call)
  if (last) call(last)
  open()
}

document.addEventListener('visibilitychange', () => document.hidden ? close() : open())
addEventListener('pagehide', close)
addEventListener('pageshow', () => { if (listeners.length > 0) open() })
