// The reading view: it is read, and can be starred.
import { call } from './api.js'
import { say, tell } from './words.js'

const article = document.querySelector('.reading')
const key = article.dataset.key
const star = document.querySelector('.star-one')

async function toggleStar () {
  const starred = star.getAttribute('aria-pressed') !== 'true'
  star.setAttribute('aria-pressed', starred)
  await call('PATCH', 'items/' + key, { starred })
  tell(say(starred ? 'item.now_starred' : 'item.now_unstarred'))
}

star.addEventListener('click', toggleStar)
addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input')) return
  if (event.key === 's') toggleStar()
  if (event.key === 'v') document.getElementById('open-page')?.click()
})
if (!article.dataset.read) await call('PATCH', 'items/' + key, { read: true })
