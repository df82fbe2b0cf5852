// What every page has: times that stay true, the link's state in the corner, and the page's own module.
import { listen } from './live.js'
import { count, loadTexts, say, tellDays, tellTimes } from './words.js'

const modules = { new: './new.js', item: './item.js', sites: './sites.js', search: './search.js', lab: './lab.js', setup: './setup.js', sync: './sync.js' }

function showPulse ({ link, sync }) {
  const pulse = document.getElementById('pulse')
  const state = link.state === 'up' && sync.paused ? 'paused' : link.state
  pulse.className = `pulse scripted is-${state}${sync.passing ? ' is-passing' : ''}`
  const words = sync.active.length > 0 ? count('pulse.fetching', sync.active.length) : say(`pulse.${state}`)
  document.getElementById('pulse-words').textContent = words
}

// The slash begins a search from anywhere.
addEventListener('keydown', event => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, textarea, select')) return
  event.preventDefault()
  const field = document.getElementById('q')
  if (field) field.select()
  else location.assign('/search')
})

await loadTexts()
document.querySelector('.bar nav [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
document.documentElement.classList.add('lively')
tellTimes()
tellDays()
setInterval(tellTimes, 30000)
document.addEventListener('redrawn', tellTimes)
if (document.body.dataset.page !== 'login') {
  listen(showPulse)
  const page = modules[document.body.dataset.page]
  if (page) await import(page)
}
document.documentElement.dataset.ready = '1'
