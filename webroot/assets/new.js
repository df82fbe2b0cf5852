// The list of items: keys, stars, what was read, and what arrived since it was made.
import { call, refresh } from './api.js'
import { listen } from './live.js'
import { selected, walkByKeys } from './rows.js'
import { count, say, tell } from './words.js'

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

walkByKeys({
  m: () => selected() && setRead(selected(), !selected().classList.contains('read')),
  s: () => selected() && setStar(selected(), !selected().classList.contains('starred')),
})

document.getElementById('main').addEventListener('click', event => {
  const row = event.target.closest('.item')
  if (!row) return
  if (event.target.closest('.star')) setStar(row, !row.classList.contains('starred'))
  if (event.target.closest('.original')) setRead(row, true)
})
document.getElementById('caught-up')?.addEventListener('click', async event => {
  await call('POST', 'here', { caught_up: true })
  event.target.hidden = true
  await refresh('#list')
  tell(say('new.now_caught_up'))
})
document.querySelector('.pick select')?.addEventListener('change', event => event.target.form.submit())

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
