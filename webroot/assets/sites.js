// Sites: look before subscribing, change, remove, OPML by drag and drop.
import { call, refresh } from './api.js'
import { tellDoors } from './doors.js'
import { count, say, tell } from './words.js'

const form = document.getElementById('add')
const found = document.getElementById('found')

/** Elements from a small description; text is always text. */
function make (name, properties = {}, ...inside) {
  const element = Object.assign(document.createElement(name), properties)
  element.append(...inside)
  return element
}

function showTrouble (error) { found.replaceChildren(make('p', { className: 'trouble' }, error.message)) }

function wish (url) {
  const folder = form.elements.folder.value.trim()
  return { url, ...(folder && { folders: [folder] }) }
}

async function subscribe (url) {
  found.replaceChildren(make('p', { className: 'meta' }, say('sites.subscribing')))
  try {
    const done = await call('POST', 'subscriptions', wish(url))
    found.replaceChildren(make('p', {}, done.message || say('sites.subscribed')))
    form.reset()
    await call('POST', 'sync', {})
    await refresh('#sites')
  } catch (error) { showTrouble(error) }
}

function choice (feed) {
  const button = make('button', { type: 'button' }, say('sites.subscribe'))
  button.addEventListener('click', () => subscribe(feed.url))
  return make('p', { className: 'tools' }, button, make('span', {}, make('bdi', {}, feed.title || feed.url)), make('span', { className: 'meta' }, feed.title ? feed.url : ''))
}

form.addEventListener('submit', async event => {
  event.preventDefault()
  const button = form.querySelector('button')
  button.disabled = true
  found.replaceChildren(make('p', { className: 'meta' }, say('sites.looking')))
  try {
    const seen = await call('POST', 'subscriptions', { ...wish(form.elements.url.value.trim()), look_only: true })
    const feed = seen.subscription
    const choices = [{ url: feed.feed, title: feed.title }, ...seen.candidates.filter(c => c.url !== feed.feed)]
    const words = seen.how === 'known' ? say('sites.known') : count('sites.found', seen.items)
    found.replaceChildren(make('p', {}, words), ...(seen.how === 'known' ? [] : choices.map(choice)))
  } catch (error) { showTrouble(error) } finally { button.disabled = false }
})

async function importFile (file) {
  found.replaceChildren(make('p', { className: 'meta' }, say('sites.importing', { name: file.name })))
  try {
    const done = await call('POST', 'opml', await file.text())
    found.replaceChildren(make('p', {}, say('sites.imported', { feeds: count('sites.imported', done.added), known: done.known })), ...done.problems.slice(0, 5).map(p => make('p', { className: 'trouble' }, p)))
    await call('POST', 'sync', {})
    await refresh('#sites')
  } catch (error) { showTrouble(error) }
}

const drop = document.getElementById('drop')
addEventListener('dragover', event => { event.preventDefault(); drop.classList.add('over') })
addEventListener('dragleave', event => { if (!event.relatedTarget) drop.classList.remove('over') })
addEventListener('drop', event => {
  event.preventDefault()
  drop.classList.remove('over')
  if (event.dataTransfer.files[0]) importFile(event.dataTransfer.files[0])
})
document.getElementById('opml').addEventListener('change', event => { if (event.target.files[0]) importFile(event.target.files[0]) })

/** Limits are kept in bytes and shown in MiB. */
function showLimits () {
  for (const field of document.querySelectorAll('[data-unit]'))
    if (field.dataset.bytes) field.value = +(field.dataset.bytes / field.dataset.unit).toFixed(2)
}
const limit = field => field.value === '' ? null : Math.round(field.value * field.dataset.unit)

document.addEventListener('submit', async event => {
  const settings = event.target.closest('.settings')
  if (!settings) return
  event.preventDefault()
  const f = settings.elements
  const folder = f.folder.value.trim()
  try {
    await call('PATCH', 'subscriptions/' + settings.closest('.site').dataset.id, {
      weight: +f.weight.value,
      folders: folder ? [folder] : [],
      paused: f.paused.checked,
      carry: { pages: f.pages.checked, requisites: f.requisites.checked, enclosures: f.enclosures.checked, item_limit: limit(f.item_limit), enclosure_limit: limit(f.enclosure_limit), daily_limit: limit(f.daily_limit) },
    })
    await refresh('#sites')
    tell(say('sites.saved'))
  } catch (error) { showTrouble(error) }
})

document.addEventListener('click', async event => {
  if (event.target.name !== 'remove') return
  const site = event.target.closest('.site')
  if (!confirm(say('sites.remove.sure', { site: site.querySelector('h2').textContent.trim() }))) return
  await call('DELETE', 'subscriptions/' + site.dataset.id)
  await refresh('#sites')
})

/** The week's strip is drawn by the server when somebody wants to see it. */
document.addEventListener('click', async event => {
  const link = event.target.closest('.posts')
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  const place = link.closest('.site').querySelector('.rhythm-here')
  link.setAttribute('aria-expanded', place.firstChild === null)
  if (place.firstChild) return place.replaceChildren()
  const page = new DOMParser().parseFromString(await (await fetch(link.href)).text(), 'text/html')
  const strip = page.getElementById('rhythm')
  strip.removeAttribute('id')
  place.replaceChildren(strip)
  document.dispatchEvent(new CustomEvent('redrawn'))
})

const tellAll = () => { showLimits(); tellDoors(true) }
document.addEventListener('redrawn', tellAll)
tellAll()
