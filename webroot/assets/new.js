// The list of items: keys, stars, what was read, and what arrived since it was made.
import { call, refresh } from './api.js'
import { listen } from './live.js'
import { count, say, tell } from './words.js'

let current = null

const rows = () => [...document.querySelectorAll('.item')]

function select (row) {
  current?.classList.remove('current')
  current = row
  if (!row) return
  row.classList.add('current')
  row.querySelector('.title').focus({ preventScroll: true })
  row.scrollIntoView({ block: 'nearest' })
}

function move (by) {
  const all = rows()
  const at = all.indexOf(current)
  select(all[Math.max(0, Math.min(all.length - 1, at < 0 ? 0 : at + by))])
}

async function setRead (row, read) {
  row.classList.toggle('read', read)
  await call('PATCH', 'items/' + row.dataset.key, { read })
  tell(say(read ? 'item.now_read' : 'item.now_unread'))
}

async function setStar (row, starred) {
  row.classList.toggle('starred', starred)
  row.querySelector('.star').setAttribute('aria-pressed', starred)
  await call('PATCH', 'items/' + row.dataset.key, { starred })
  tell(say(starred ? 'item.now_starred' : 'item.now_unstarred'))
}

const keys = {
  j: () => move(1),
  k: () => move(-1),
  o: () => current?.querySelector('.title').click(),
  v: () => current?.querySelector('.original')?.click(),
  m: () => current && setRead(current, !current.classList.contains('read')),
  s: () => current && setStar(current, !current.classList.contains('starred')),
}

addEventListener('keydown', event => {
  const typing = event.target.closest('input, textarea, select')
  if (typing || event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return
  event.preventDefault()
  keys[event.key]()
})

document.getElementById('main').addEventListener('click', event => {
  const row = event.target.closest('.item')
  if (!row) return
  if (event.target.closest('.star')) setStar(row, !row.classList.contains('starred'))
  if (event.target.closest('.original')) setRead(row, true)
})
document.getElementById('main').addEventListener('focusin', event => {
  const row = event.target.closest('.item')
  if (row && row !== current) { current?.classList.remove('current'); current = row; row.classList.add('current') }
})

document.getElementById('caught-up').addEventListener('click', async () => {
  await call('POST', 'here', { caught_up: true })
  await refresh('#list')
})

// What arrived is announced, not pushed under the reader's eyes; an empty list fills by itself.
let seen = null
listen(({ sync }) => {
  const news = [sync.passes, sync.pass.new_items, sync.pass.articles_completed].join()
  const before = seen
  seen = news
  if (before === null || before === news) return
  if (!document.querySelector('.item')) return void refresh('#list')
  if (sync.pass.new_items === 0) return
  const notice = document.getElementById('arrived')
  notice.querySelector('span').textContent = count('new.arrived', sync.pass.new_items)
  notice.hidden = false
})

await call('POST', 'here', {})
