// What is going on right now.
import { call, refresh } from './api.js'
import { listen } from './live.js'
import { ago, say, size, tell } from './words.js'

const active = document.getElementById('active')
const pause = document.getElementById('pause')
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

function showBudget (budget) {
  for (const span of ['today', 'month']) {
    const field = document.getElementById('budget-' + span)
    if (field) field.textContent = size(budget[span])
    const left = document.getElementById(`budget-${span}-left`)
    if (left) left.textContent = size(Math.max(0, left.dataset.limit - budget[span]))
    const bar = document.getElementById(`budget-${span}-bar`)
    if (bar) bar.value = budget[span]
  }
}

let state = ''
function showLink (link, passing) {
  document.getElementById('link').className = `card link is-${link.state}${passing ? ' is-passing' : ''}`
  const words = say(`link.${link.state}`)
  document.getElementById('link-words').textContent = words
  document.getElementById('link-reason').textContent = link.reason ? ': ' + link.reason : ''
  const since = document.querySelector('#link-since time')
  if (since && link.since && since.dateTime !== link.since) {
    since.dateTime = link.since
    since.textContent = ago(new Date(link.since).getTime())
  }
  for (const button of document.querySelectorAll('[data-mode]')) button.setAttribute('aria-pressed', button.dataset.mode === link.mode)
  if (state && state !== link.state) {
    tell(words)
    redrawSoon()
  }
  state = link.state
}

function restingWords (link, sync) {
  if (sync.paused) return say('sync.resting_paused')
  if (link.state !== 'up') return say('sync.resting_down')
  return say('sync.resting') + (sync.next_feed ? ` ${say('sync.next_feed')} ${ago(new Date(sync.next_feed).getTime())}.` : '')
}

function showPaused (paused) {
  pause.dataset.paused = paused ? '1' : ''
  pause.textContent = say(paused ? 'sync.resume' : 'sync.pause')
  document.getElementById('paused').hidden = !paused
  document.getElementById('sync-now').disabled = paused
}

// The lists are drawn by the server, at most once a second.
let redraw = null
function redrawSoon () {
  redraw ??= setTimeout(async () => {
    await refresh('#queue', '#journal', '#link-history')
    redraw = null
  }, 1000)
}

let last = ''
active.replaceChildren()
listen(({ link, sync, budget }) => {
  if (budget) showBudget(budget)
  showLink(link, sync.passing)
  showPaused(sync.paused)
  document.getElementById('pass-words').textContent = sync.passing ? say('sync.passing') : restingWords(link, sync)
  showActive(sync.active)
  const now = JSON.stringify([sync.passes, sync.waiting, sync.active.length])
  if (last && last !== now) redrawSoon()
  last = now
})

document.getElementById('sync-now').addEventListener('click', async () => {
  await call('POST', 'sync', {})
  tell(say('sync.started'))
})
pause.addEventListener('click', async () => {
  const { paused } = await call('PATCH', 'sync', { paused: !pause.dataset.paused })
  showPaused(paused)
  tell(say(paused ? 'sync.now_paused' : 'sync.now_resumed'))
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
