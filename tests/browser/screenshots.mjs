// Pictures of the dashboard for the README and the documents, with three small newspapers from this machine.
//   node screenshots.mjs CISTERN FOLDER IMAGES   (tools/screenshots does it)
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Cistern } from './cistern.mjs'
import { launchDirect, newReader } from './browser.mjs'
import { Paper } from './paper.mjs'
import { until } from './processes.mjs'

const [program, folder, images] = process.argv.slice(2)
await mkdir(images, { recursive: true })

const papers = [
  ['The Brook Courier', 'News', ['A library that fits on a donkey', 'The lower cistern is full again', 'Rain at last, after eleven weeks']],
  ['Hill Gazette', 'News', ['Radio lessons begin on Monday', 'How the village kept its bridge']],
  ['Notes from the Ford', 'Letters', ['What to plant before the frost', 'The song of the brook']],
].map(([name, place, stories]) => Object.assign(new Paper(), { name, place, stories }))
for (const paper of papers) await paper.start()
const cistern = new Cistern(program, join(folder, 'cistern'),
  '[sync]\nallow_private = true\nfloor = "0s"\nfloor_without_validators = "0s"\nhost_pause = "0s"\nfeed_pause = "0s"\n[budget]\nper_day = "50 MiB"\nper_month = "1 GiB"\n')
await cistern.start()
const home = `http://localhost:${cistern.port}`
const api = async path => (await fetch(`${home}/api/v1/${path}`)).json()
const change = async (method, path, body) => (await fetch(`${home}/api/v1/${path}`, { method, headers: { 'X-Cistern': '1' }, body: JSON.stringify(body) })).json()
const browser = await launchDirect()

async function shoot (name, path, options = {}, before = async () => {}) {
  const { context, page } = await newReader(browser, { viewport: { width: 1120, height: 760 }, deviceScaleFactor: 2, colorScheme: 'light', ...options })
  await page.goto(home + path)
  await page.waitForSelector('html[data-ready]')
  await before(page)
  await page.screenshot({ path: join(images, `${name}.png`) })
  await context.close()
}

try {
  for (const paper of papers) await change('POST', 'subscriptions', { url: paper.origin + '/', folders: [paper.place] })
  await change('POST', 'sync', {})
  await until('all articles are whole', async () => {
    const { items } = await api('items?show=all')
    return items.length === 7 && items.every(item => item.state === 'whole')
  }, 60000)
  const { items } = await api('items?show=all')
  await change('PATCH', 'items/' + items[1].key, { starred: true })
  await change('PATCH', 'items/' + items[4].key, { read: true })
  const phone = { viewport: { width: 390, height: 760 }, isMobile: true, hasTouch: true }
  await shoot('new', '/')
  await shoot('new-dark', '/', { colorScheme: 'dark' })
  await shoot('new-phone', '/', phone)
  await shoot('sites', '/sites')
  await shoot('reading', '/item/' + items[0].key)
  const singer = papers[2]
  const { subscriptions } = await api('subscriptions')
  await change('PATCH', `subscriptions/${subscriptions.find(s => s.title === singer.name).id}`, { carry: { enclosures: true } })
  singer.stories.push('Frogs, recorded at night')
  singer.withRecording = true
  await change('POST', 'sync', {})
  await shoot('sync', '/sync', {}, page => page.waitForFunction(() => document.querySelector('#active progress')?.value > 900000))
  await until('the recording is here', async () => (await api('queue')).total === 0, 60000)
  await shoot('savings-dark', '/savings', { colorScheme: 'dark' })
} finally {
  await browser.close()
  for (const paper of papers) paper.stop()
  await cistern.stop()
}
