// Pictures of the dashboard for the README and the documents, with the newspapers of `cistern demo`.
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
  ['The Brook Courier', 'News', 8, 1], ['Hill Gazette', 'News', 6, 40], ['Notes from the Ford', 'Letters', 7, 81],
].map(([name, place, stories, first]) => Object.assign(new Paper(program, { name, stories, first }), { place }))
for (const paper of papers) await paper.start()
const cistern = new Cistern(program, join(folder, 'cistern'),
  '[sync]\nallow_private = true\nfloor = "0s"\nfloor_without_validators = "0s"\nhost_pause = "0s"\nfeed_pause = "0s"\n[budget]\nper_day = "50 MiB"\nper_month = "1 GiB"\n')
await cistern.start()
const home = `http://localhost:${cistern.port}`
const api = async path => (await fetch(`${home}/api/v1/${path}`)).json()
const change = async (method, path, body) => (await fetch(`${home}/api/v1/${path}`, { method, headers: { 'X-Cistern': '1' }, body: JSON.stringify(body) })).json()
const browser = await launchDirect()
const phone = { viewport: { width: 390, height: 780 }, isMobile: true, hasTouch: true }

async function shoot (name, path, options = {}, before = async () => {}) {
  const { context, page } = await newReader(browser, { viewport: { width: 1120, height: 760 }, deviceScaleFactor: 1.5, colorScheme: 'light', ...options })
  await page.goto(home + path)
  await page.waitForSelector('html[data-ready]')
  await before(page)
  await page.screenshot({ path: join(images, `${name}.png`) })
  await context.close()
}

async function allHere () {
  await until('all articles are whole', async () => {
    const { items } = await api('items?show=all&limit=100')
    return items.length >= 20 && items.every(item => item.state === 'whole') && (await api('queue')).total === 0
  }, 60000)
}

try {
  for (const paper of papers) await change('POST', 'subscriptions', { url: paper.origin + '/', folders: [paper.place] })
  await change('POST', 'sync', {})
  await allHere()
  for (const paper of papers.slice(0, 2)) await paper.tell('post') // these are stitched in
  await change('POST', 'sync', {})
  await until('the new ones are here', async () => (await api('items?show=all&limit=100')).items.length === 23, 30000)
  await allHere()
  const { items } = await api('items?show=all&limit=100')
  await change('PATCH', 'items/' + items[2].key, { starred: true })
  for (const i of [4, 5]) await change('PATCH', 'items/' + items[i].key, { read: true })
  const site = (await api('subscriptions')).subscriptions.find(s => s.title === papers[0].name).id
  await shoot('new', '/')
  await shoot('new-phone', '/', phone)
  await shoot('reading', '/item/' + items[0].key)
  await shoot('sites', '/sites', {}, async page => {
    await page.click('.posts')
    await page.waitForSelector('.rhythm-here svg')
  })
  await shoot('lab', `/lab?subscription=${site}`, { viewport: { width: 1440, height: 960 }, deviceScaleFactor: 1 }, page => page.waitForTimeout(300))
  await shoot('setup', '/setup', { colorScheme: 'dark' })
  for (const mode of ['offline', 'auto']) { // the link has a history
    await fetch(`${home}/api/v1/link`, { method: 'POST', headers: { 'X-Cistern': '1' }, body: mode })
    await new Promise(resolve => setTimeout(resolve, mode === 'offline' ? 2500 : 6000))
  }
  const singer = papers[2]
  const { subscriptions } = await api('subscriptions')
  await change('PATCH', `subscriptions/${subscriptions.find(s => s.title === singer.name).id}`, { carry: { enclosures: true } })
  await singer.tell('post Frogs, recorded at night')
  await singer.tell('recording')
  await change('POST', 'sync', {})
  await shoot('sync', '/sync', {}, page => page.waitForFunction(() => document.querySelector('#active progress')?.value > 900000))
  await until('the recording is here', async () => (await api('queue')).total === 0, 60000)
  await shoot('savings-dark', '/savings', { colorScheme: 'dark' })
} finally {
  await browser.close()
  for (const paper of papers) await paper.stop()
  await cistern.stop()
}
