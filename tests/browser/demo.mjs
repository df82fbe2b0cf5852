// The story of `cistern demo`, as somebody sees it who has a minute: news arrives, the link goes down and is shown to be down, the
// homepage is brought up to date all the same, and everything catches up when the link is back.
//   node demo.mjs CISTERN SITE FOLDER
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { launchDirect, newReader } from './browser.mjs'
import { freePort, until, untilExit, untilListening } from './processes.mjs'

const [program, , folder] = process.argv.slice(2)
const port = await freePort()
const demo = spawn(program, ['demo', '--listen', `127.0.0.1:${port}`, '--post-every', '2', '--link', 'up 14s, down 9s'])
const log = createWriteStream(join(folder, 'demo.log'))
demo.stdout.pipe(log)
demo.stderr.pipe(log)
await untilListening(port, demo)
const home = `http://localhost:${port}`
const api = async path => (await fetch(`${home}/api/v1/${path}`)).json()
const items = async () => (await api('items?show=all&limit=200')).items
const browser = await launchDirect()
const { page } = await newReader(browser)

async function step (what, run) {
  const began = Date.now()
  try { await run() } catch (error) {
    await page.screenshot({ path: join(folder, 'failed.png'), fullPage: true }).catch(() => {})
    console.error(`FAILED: ${what}\n  see ${join(folder, 'failed.png')} and ${join(folder, 'demo.log')}`)
    throw error
  }
  console.log(`ok: ${what} (${Date.now() - began} ms)`)
}
const linkIs = state => page.waitForSelector(`#link.is-${state}`, { timeout: 60000 })

try {
  await step('items of all three newspapers arrive by themselves', async () => {
    await page.goto(home + '/')
    await page.waitForSelector('.item .title', { timeout: 60000 })
    await until('all three are there', async () => new Set((await items()).map(i => i.site)).size === 3, 60000)
  })

  await step('an outage is shown as one, with its reason', async () => {
    await page.goto(home + '/sync')
    await page.waitForSelector('html[data-ready]')
    await linkIs('up')
    await linkIs('down')
    assert.equal(await page.textContent('#link-words'), 'The link is down')
    assert.match(await page.textContent('#link-reason'), /signal/)
  })

  await step('while it lasts nobody is blamed, and the homepage shows what the feed announced', async () => {
    const { subscriptions } = await api('subscriptions')
    assert.deepEqual(subscriptions.filter(s => s.failures > 0).map(s => `${s.title}: ${s.error}`), [])
    const reader = await newReader(browser)
    const answer = await reader.page.goto(`http://brook-courier.example.localhost:${port}/`)
    assert.match(answer.headers()['cache-status'] ?? '', /hit/)
    const newest = (await items()).find(i => i.site === 'The Brook Courier').title
    assert.ok((await reader.page.innerText('body')).includes(newest), `the homepage does not show “${newest}”`)
    await reader.context.close()
  })

  await step('when the link is back, what was posted meanwhile arrives', async () => {
    const before = (await items()).length
    await linkIs('up')
    await until('news', async () => (await items()).length > before, 30000)
    await page.click('.history summary')
    await until('its history is on the page', async () => (await page.locator('.history li').count()) >= 2, 10000)
    await page.waitForSelector('.link-strip .was-down')
  })

  await step('a recording survives the cuts', async () => {
    await until('it was announced', async () => (await items()).some(i => i.enclosures > 0), 60000)
    await until('it is whole', async () => (await api('queue')).jobs.every(j => j.class !== 'enclosures'), 120000)
  })
  console.log('the whole story holds')
} finally {
  await browser.close()
  demo.kill('SIGTERM')
  await untilExit(demo)
}
