// What is going on right now.
import { call, refresh } from './api.js'
import { listen } from './live.js'
import { ago, say, size, tell } from './words.js'

const active = document.getElementById('active')
const shown = new Map() // URL → its row

function row (fetch) {
  const li = document.createElement('li')
  li.innerHTML = '<div class="row"><bdi class="url"></bdi><span class="meta"></span></div><progress></progress>'
  li.querySelector('.url').textContent = fetch.url
  li.querySelector('progress').setAttribute('aria-label', fetch.url)
  active.append(li)
  return li
}

function showActive (fetches) {
  const now = new Set(fetches.map(f => f.url))
  for (const [url, li] of shown) if (!now.has(url)) { li.remove(); shown.delete(url) }
  for (const fetch of fetches) {
    const li = shown.get(fetch.url) ?? row(fetch)
    shown.set(fetch.url, li)
    const rate = fetch.seconds > 0.5 ? ` · ${size(fetch.received / fetch.seconds)}/s` : ''
    li.querySelector('.meta').textContent = size(fetch.received) + (fetch.expected ? ` / ${size(fetch.expected)}` : '') + rate
    const bar = li.querySelector('progress')
    if (fetch.expected) { bar.max = fetch.expected; bar.value = fetch.received } else bar.removeAttribute('value')
  }
}

let passes = null
let waiting = ''
let state = ''
let redraw = 0
function redrawSoon () {
  clearTimeout(redraw)
  redraw = setTimeout(() => refresh('#queue', '#journal'), 400)
}

active.replaceChildren()
listen(({ link, sync, budget }) => {
  for (const span of ['today', 'month']) {
    const field = document.getElementById('budget-' + span)
    if (field && budget) field.textContent = size(budget[span])
    const left = document.getElementById(`budget-${span}-left`)
    if (left && budget) left.textContent = size(Math.max(0, left.dataset.limit - budget[span]))
  }
  document.getElementById('link').className = `card link is-${link.state}${sync.passing ? ' is-passing' : ''}`
  const words = say(`link.${link.state}`)
  document.getElementById('link-words').textContent = words
  if (state && state !== link.state) tell(words)
  state = link.state
  const since = document.querySelector('#link-since time')
  if (since && link.since) since.dateTime = link.since
  for (const button of document.querySelectorAll('[data-mode]')) button.setAttribute('aria-pressed', button.dataset.mode === link.mode)
  const next = !sync.passing && sync.next_feed ? ` ${say('sync.next_feed')} ${ago(new Date(sync.next_feed).getTime())}` : ''
  document.getElementById('pass-words').textContent = say(sync.passing ? 'sync.passing' : 'sync.resting') + next
  for (const field of document.querySelectorAll('[data-class]')) field.textContent = sync.waiting[field.dataset.class]
  showActive(sync.active)
  const left = JSON.stringify(sync.waiting)
  if (passes !== null && (passes !== sync.passes || waiting !== left)) redrawSoon()
  passes = sync.passes
  waiting = left
})

document.getElementById('sync-now').addEventListener('click', async () => {
  await call('POST', 'sync', {})
  tell(say('sync.started'))
})
for (const button of document.querySelectorAll('[data-mode]')) button.addEventListener('click', () => call('POST', 'link', button.dataset.mode))

const doing = { now: ['PATCH', { now: true }], first: ['PATCH', { place: 'first' }], last: ['PATCH', { place: 'last' }], pause: ['PATCH', { paused: true }], resume: ['PATCH', { paused: false }], drop: ['DELETE'] }
document.addEventListener('click', async event => {
  const what = doing[event.target.dataset?.do]
  if (!what) return
  const [method, body] = what
  await call(method, 'queue/' + event.target.closest('li').dataset.id, body).catch(error => tell(error.message))
  await refresh('#queue')
})
