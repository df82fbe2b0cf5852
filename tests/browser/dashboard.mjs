// The story of the dashboard: from an empty store to reading an article, a cut link, OPML, and what others must not do here.
//   node dashboard.mjs CISTERN SITE FOLDER
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer, request as httpRequest } from 'node:http'
import { once } from 'node:events'
import { join } from 'node:path'
import { Cistern } from './cistern.mjs'
import { launchDirect, newReader } from './browser.mjs'
import { Paper } from './paper.mjs'

const [program, , folder] = process.argv.slice(2)
const axe = await readFile(new URL('./node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')

const paper = new Paper(program)
await paper.start()
const other = new Paper(program, { name: 'The Hill Gazette', stories: 1, first: 40 })
await other.start()
const stories = await paper.titles()
const cistern = new Cistern(program, join(folder, 'cistern'),
  '[sync]\nallow_private = true\nfloor = "0s"\nfloor_without_validators = "0s"\nhost_pause = "0s"\nfeed_pause = "0s"\nbackoff_base = "200ms"\nbackoff_cap = "1s"\n')
await cistern.start()
const home = `http://localhost:${cistern.port}`
const browser = await launchDirect()
let { context, page } = await newReader(browser)
const troubles = []
page.on('console', message => { if (message.type() === 'error') troubles.push(message.text()) })
page.on('pageerror', error => troubles.push(String(error)))

async function step (what, run) {
  const began = Date.now()
  try {
    await run()
    assert.deepEqual(troubles, [], 'the console is not clean')
  } catch (error) {
    const picture = join(folder, 'failed.png')
    await page.screenshot({ path: picture, fullPage: true }).catch(() => {})
    console.error(`FAILED: ${what}\n  see ${picture} and ${join(folder, 'cistern', 'cistern.log')}`)
    throw error
  }
  console.log(`ok: ${what} (${Date.now() - began} ms)`)
}

const ready = () => page.waitForSelector('html[data-ready]')
async function open (path) {
  await page.goto(home + path)
  await ready()
}
const api = async path => (await fetch(`${home}/api/v1/${path}`)).json()
const change = (method, path, body) => fetch(`${home}/api/v1/${path}`, { method, headers: { 'X-Cistern': '1' }, body })

async function until (what, check) {
  for (const end = Date.now() + 30000; Date.now() < end;) {
    if (await check()) return
    await new Promise(resolve => setTimeout(resolve, 150))
  }
  assert.fail(`it never happened: ${what}`)
}

async function examine (path, look) {
  await open(path)
  await axeFindsNothing(path, look)
}

async function axeFindsNothing (path, look) {
  await page.evaluate(axe)
  const found = await page.evaluate(() => window.axe.run({ resultTypes: ['violations'] }))
  const bad = found.violations.filter(v => ['serious', 'critical', 'moderate'].includes(v.impact))
  assert.deepEqual(bad.map(v => `${v.id}: ${v.nodes[0].html} ${v.nodes[0].failureSummary}`), [], `${path}, ${look}`)
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  assert.ok(wide <= 0, `${path}, ${look}: ${wide} pixels too wide`)
}

try {
  await step('an empty store says what to do first', async () => {
    await open('/')
    await page.click('text=Add your first site')
    await ready()
  })

  await step('an address is looked at before it is subscribed to', async () => {
    await page.fill('#add input[name=url]', paper.origin + '/')
    await page.click('#add button')
    await page.waitForSelector('#found >> text=The Brook Courier')
    assert.equal((await api('subscriptions')).subscriptions.length, 0)
    await page.click('#found button')
    await page.waitForSelector('.site >> text=The Brook Courier')
  })

  await step('its articles arrive, whole, and can be read', async () => {
    await until('all articles are whole', async () => {
      const { items } = await api('items?show=all')
      return items.length === 3 && items.every(i => i.state === 'whole')
    })
    await open('/')
    assert.deepEqual(await page.locator('.item .title').allTextContents(), stories)
    await page.click(`text=${stories[1]}`)
    await page.waitForSelector('.reading .text')
    await ready()
    assert.match(await page.textContent('.reading .text'), /a notebook and a flask of tea/)
    assert.equal(await page.title(), `${stories[1]} · Cistern`) // the feed's script did not run
    await page.waitForFunction(() => [...document.images].every(i => i.complete && i.naturalWidth > 0))
    await until('it counts as read', async () => (await api('items?show=unread')).items.length === 2)
  })

  await step('keys walk, mark and star', async () => {
    await open('/?show=all')
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('k')
    assert.equal(await page.textContent('.item.current .title'), stories[1])
    await page.keyboard.press('s')
    await until('the star is kept', async () => (await api('items?show=starred')).items[0]?.title === stories[1])
    await page.keyboard.press('m')
    await until('it is unread again', async () => (await api('items?show=unread')).items.length === 3)
    await page.keyboard.press('o')
    await page.waitForSelector('.reading h1')
  })

  await step('what is stored is found by its words, while one types', async () => {
    await until('the index has it', async () => (await api('search?q=notebook')).results.length === 3)
    await open('/?show=all')
    await page.keyboard.press('/')
    await page.waitForURL('**/search')
    await ready()
    assert.equal(await page.evaluate(() => document.activeElement.id), 'q')
    await page.keyboard.type(stories[0])
    await page.waitForSelector('.results mark')
    assert.ok(await page.locator('.results .item').count() >= 1)
    await page.keyboard.press('Escape')
    await page.fill('#q', 'no such thing anywhere')
    await page.waitForSelector('#results >> text=Nothing that is stored says this')
    await page.fill('#q', 'notebook')
    await page.waitForFunction(() => document.querySelectorAll('.results .item').length === 3)
    await page.selectOption('[name=when]', 'year')
    await page.waitForURL('**/search?*when=year*')
    await page.selectOption('[name=order]', 'newest')
    await page.waitForFunction(title => document.querySelector('.results .title')?.textContent === title, stories[0])
    await page.click('.results .title')
    await page.waitForSelector('.reading h1')
    const plain = await newReader(browser, { javaScriptEnabled: false })
    await plain.page.goto(home + '/search')
    await plain.page.fill('#q', `"${stories[1]}"`)
    await plain.page.click('#seek button')
    assert.equal(await plain.page.textContent('.results .title'), stories[1])
    await plain.context.close()
  })

  await step('without scripts the lists and the state can be read', async () => {
    const plain = await newReader(browser, { javaScriptEnabled: false })
    for (const [path, words] of [['/?show=all', stories[0]], ['/sites', 'The Brook Courier'], ['/sync', 'The link is up']]) {
      await plain.page.goto(home + path)
      assert.ok((await plain.page.innerText('main')).includes(words), `${path} without ${words}`)
    }
    await plain.context.close()
  })

  await step('a long download shows its progress, is cut, and goes on where it was', async () => {
    const id = (await api('subscriptions')).subscriptions[0].id
    await change('PATCH', `subscriptions/${id}`, JSON.stringify({ carry: { enclosures: true } }))
    await paper.tell('post The song of the brook')
    await paper.tell('recording')
    await open('/sync')
    await page.click('#sync-now')
    await page.waitForFunction(() => {
      const bar = [...document.querySelectorAll('#active li')].find(li => li.textContent.includes('recording.wav'))?.querySelector('progress')
      return bar && bar.value > 200000 && bar.value < bar.max
    }, null, { timeout: 30000, polling: 50 })
    await page.screenshot({ path: join(folder, 'fetching.png') })
    await paper.tell('cut')
    await page.waitForTimeout(700)
    await paper.tell('mend')
    await page.click('#sync-now')
    await until('the recording is whole', async () => (await api('queue')).total === 0 && (await api('status')).sync.active.length === 0)
    const plays = paper.requests.filter(r => r.url === '/recording.wav')
    assert.ok(plays.length >= 2 && plays.slice(1).every(r => /^bytes=[1-9]/.test(r.range ?? '')), JSON.stringify(plays))
    await page.waitForSelector('#journal li')
  })

  await step('the link is switched off and on by hand, and the page says so at once', async () => {
    await page.click('[data-mode=offline]')
    await page.waitForSelector('#link.is-down')
    assert.equal(await page.textContent('#link-words'), 'The link is down')
    await page.click('[data-mode=auto]')
    await page.waitForSelector('#link.is-up')
  })

  await step('sync is paused and goes on, and the page says so at once', async () => {
    await open('/sync')
    await page.click('#pause')
    await page.waitForSelector('#paused:not([hidden])')
    await page.waitForFunction(() => document.getElementById('pulse-words').textContent === 'Sync paused')
    assert.equal(await page.isDisabled('#sync-now'), true)
    await paper.tell('post While sync was paused')
    assert.equal((await change('POST', 'sync', '{}')).status, 409)
    await cistern.stop() // and a restart does not end it
    await cistern.start()
    troubles.splice(0) // the stream broke off
    await open('/sync')
    assert.equal(await page.textContent('#pause'), 'Resume')
    assert.ok(!(await api('items?show=all')).items.some(i => i.title === 'While sync was paused'))
    await page.click('#pause')
    await page.waitForSelector('#paused', { state: 'hidden' })
    await page.click('#sync-now')
    await until('it arrives', async () => (await api('items?show=all')).items.some(i => i.title === 'While sync was paused'))
  })

  await step('an OPML file brings its feeds, and the export has them all', async () => {
    const file = join(folder, 'feeds.opml')
    await writeFile(file, `<opml version="2.0"><body><outline text="Hills"><outline type="rss" text="Gazette" xmlUrl="${other.origin}/feed.xml"/></outline></body></opml>`)
    await open('/sites')
    const text = await readFile(file, 'utf8')
    const dropped = await page.evaluateHandle(text => {
      const data = new DataTransfer()
      data.items.add(new File([text], 'feeds.opml', { type: 'text/x-opml' }))
      return data
    }, text)
    await page.dispatchEvent('#drop', 'drop', { dataTransfer: dropped })
    await page.waitForSelector('#found >> text=1 feed added')
    await page.waitForFunction(() => document.querySelectorAll('.site').length === 2)
    const exported = await (await fetch(`${home}/api/v1/opml`)).text()
    assert.ok(exported.includes(`${other.origin}/feed.xml`) && exported.includes(`${paper.origin}/feed.xml`))
    await until('its item is here', async () => (await api('items?show=all&folder=Hills')).items.length === 1)
  })

  await step('by keyboard alone: a site is changed, and what it downloads is paused, resumed and dropped', async () => {
    await open('/sites')
    await page.keyboard.press('Tab')
    assert.equal(await page.evaluate(() => document.activeElement.className), 'skip')
    await page.keyboard.press('Enter')
    assert.equal(await page.evaluate(() => document.activeElement.id), 'main')
    const hills = page.locator('.site', { hasText: 'Gazette' })
    await hills.locator('summary').focus()
    await page.keyboard.press('Enter')
    await hills.locator('[name=enclosures]').focus()
    await page.keyboard.press('Space')
    await hills.locator('[name=enclosure_limit]').focus()
    await page.keyboard.type('20')
    await page.keyboard.press('Enter')
    await until('it is saved', async () => {
      const { carry } = (await api('subscriptions')).subscriptions.find(s => s.feed.startsWith(other.origin))
      return carry.enclosures && carry.enclosure_limit === 20 * 1048576
    })
    await other.tell('post A song from the hill')
    await other.tell('recording')
    // The publisher allows one visit a second, and "sync now" keeps to that.
    await until('its feed may be asked again', async () => {
      const { last_visit } = (await api('subscriptions')).subscriptions.find(s => s.feed.startsWith(other.origin))
      return Date.now() > Date.parse(last_visit) + 2000
    })
    await open('/sync')
    await page.focus('#sync-now')
    await page.keyboard.press('Enter')
    const job = page.locator('.queue li', { hasText: 'recording.wav' })
    await job.locator('[data-do=pause]').focus({ timeout: 20000 })
    await page.keyboard.press('Enter')
    await job.locator('[data-do=resume]').waitFor()
    await until('nothing is fetched', async () => (await api('sync')).sync.active.length === 0)
    assert.equal((await api('queue')).jobs[0].state, 'paused')
    await job.locator('[data-do=resume]').focus()
    await page.keyboard.press('Enter')
    await until('it is fetched again', async () => (await api('sync')).sync.active.some(f => f.url.endsWith('recording.wav')))
    await job.locator('[data-do=drop]').focus()
    await page.keyboard.press('Enter')
    await until('it is gone', async () => (await api('queue')).total === 0 && (await api('sync')).sync.active.length === 0)
  })

  await step('the lab shows the stored homepage, the stitched one and the heat map, and nothing in them runs or loads', async () => {
    const id = (await api('subscriptions')).subscriptions.find(s => s.title === paper.name).id
    const before = { page: await paper.read('/'), feed: await paper.read('/feed.xml') }
    await paper.tell('post The lab gets a window')
    await change('POST', 'sync', '{}')
    await until('the new item is here', async () => (await api('items?show=all')).items.some(i => i.title === 'The lab gets a window'))
    await until('its homepage is stitched', async () => !(await api(`lab/${id}`)).declined)
    const asked = []
    const listen = request => asked.push(request.url())
    page.on('request', listen)
    await open(`/lab?subscription=${id}`)
    await page.waitForFunction(() => document.querySelectorAll('.frame iframe').length === 3)
    const texts = async name => page.frameLocator(`.${name} iframe`).locator('body').innerText()
    await until('the stitched page shows it', async () => (await texts('made')).includes('The lab gets a window'))
    assert.ok(!(await texts('stale')).includes('The lab gets a window'))
    assert.ok(await page.frameLocator('.heat iframe').locator('[data-cistern-region]').count() > 0)
    assert.ok((await page.textContent('.region')).includes('%'))
    await page.check('#view-heat')
    assert.equal(await page.isVisible('figure.stale'), false)
    assert.deepEqual(asked.filter(url => !url.startsWith(home) && !/^(data|about):/.test(url)), [])
    page.off('request', listen)
    for (const how of ['never', 'when good']) {
      await Promise.all([page.waitForEvent('load'), page.click(`[data-stitching="${how}"]`)])
      await ready()
      assert.equal(await page.getAttribute(`[data-stitching="${how}"]`, 'aria-pressed'), 'true')
      assert.equal((await api('subscriptions')).subscriptions.find(s => s.id === id).stitching, how)
    }
    const visits = () => paper.requests.filter(r => r.url === '/').length
    const seen = visits()
    await page.click('#relearn')
    await page.waitForSelector('#lab-said:not([hidden])')
    await until('the homepage is downloaded anew', async () => visits() > seen)

    const files = { page: [before.page, await paper.read('/')], feed: [before.feed, await paper.read('/feed.xml')] }
    await page.fill('input[name=base]', paper.origin + '/')
    for (const [name, versions] of Object.entries(files)) {
      for (const [i, text] of versions.entries()) {
        const file = join(folder, `${name}${i}`)
        await writeFile(file, text)
        await page.locator(`input[name=${name}]`).nth(i).setInputFiles(file)
      }
    }
    await page.click('text=Stitch them')
    await page.waitForSelector('text=Foretold and measured')
    assert.ok((await texts('made')).includes('The lab gets a window'))
  })

  await step('a site shows when it posts, and the browser is told which doors it can use', async () => {
    await open('/sites')
    await page.click('.posts')
    await page.waitForSelector('.rhythm-here svg')
    await open('/setup')
    await page.click('#try-doors')
    await page.waitForSelector('#try-doors:enabled')
    assert.equal(await page.textContent('[data-door=gateway]'), 'works in this browser')
    troubles.splice(0) // a door that is not there is an error on the console
    const report = await (await fetch(home + '/api/v1/diagnostics')).text()
    assert.ok(!report.includes('localhost') && !report.includes('Courier'), 'the report has private data in it')
  })

  await step('a page elsewhere can neither change nor read anything', async () => {
    const evil = createServer((request, answer) => answer.writeHead(200, { 'Content-Type': 'text/html' }).end('<p>elsewhere'))
    evil.listen(0, 'localhost')
    await once(evil, 'listening')
    const before = (await api('subscriptions')).subscriptions.length
    const visitor = await newReader(browser)
    await visitor.page.goto(`http://localhost:${evil.address().port}/`)
    const tries = await visitor.page.evaluate(async home => {
      const attempt = async (path, options) => { try { return (await fetch(home + path, options)).status } catch { return 'refused' } }
      return [
        await attempt('/api/v1/items'),
        await attempt('/api/v1/subscriptions', { method: 'POST', body: '{"url":"http://localhost/"}', headers: { 'X-Cistern': '1' } }),
        await attempt('/api/v1/opml', { method: 'POST', body: '<opml/>', mode: 'no-cors' }),
        await new Promise(resolve => {
          const frame = document.createElement('iframe')
          frame.src = home + '/'
          frame.onload = () => { try { resolve(frame.contentDocument.title) } catch { resolve('refused') } }
          document.body.append(frame)
        }),
        await new Promise(resolve => {
          const stream = new EventSource(home + '/api/v1/events')
          stream.onerror = () => { stream.close(); resolve('refused') }
          stream.addEventListener('status', () => resolve('read'))
        }),
      ]
    }, home)
    assert.deepEqual([tries[0], tries[1], tries[3], tries[4]], ['refused', 'refused', 'refused', 'refused'])
    assert.equal((await api('subscriptions')).subscriptions.length, before)
    await visitor.context.close()
    evil.close()
  })

  await step('another name that points here is refused', async () => {
    for (const path of ['/', '/api/v1/items']) {
      const status = await new Promise((resolve, reject) => httpRequest({ port: cistern.port, host: '127.0.0.1', path, headers: { Host: `rebound.test:${cistern.port}` } }, answer => resolve(answer.statusCode)).on('error', reject).end())
      assert.equal(status, 421, path)
    }
  })

  const item = (await api('items?show=all')).items[0].key
  const site = (await api('subscriptions')).subscriptions.find(s => s.title === paper.name).id
  for (const [look, options] of [
    ['light, desktop', { colorScheme: 'light' }], ['dark, desktop', { colorScheme: 'dark' }],
    ['light, phone', { colorScheme: 'light', viewport: { width: 320, height: 640 }, isMobile: true, hasTouch: true }],
    ['dark, phone', { colorScheme: 'dark', viewport: { width: 320, height: 640 }, isMobile: true, hasTouch: true }],
  ]) {
    await step(`axe finds nothing and nothing is too wide: ${look}`, async () => {
      await context.close()
      ;({ context, page } = await newReader(browser, { bypassCSP: true, ...options }))
      for (const path of ['/', '/?show=all', '/?show=starred', '/sites', '/sync', '/savings', '/search', '/search?q=notebook+tea', '/search?q=nowhere', '/setup', '/login', '/item/' + item, '/lab', `/lab?subscription=${site}`, `/rhythm/${site}`]) {
        await examine(path, look)
        await page.screenshot({ path: join(folder, `${look.replace(', ', '-')}${path.replace(/[/?=]+/g, '-').slice(0, 16)}.png`), fullPage: true })
      }
      await change('PATCH', 'sync', '{"paused": true}')
      await change('POST', 'link', 'offline')
      await examine('/sync', look) // paused, and with a history
      await open('/sites')
      await page.evaluate(() => { for (const d of document.querySelectorAll('details')) d.open = true })
      await page.click('.posts')
      await page.waitForSelector('.rhythm-here svg')
      await axeFindsNothing('/sites, opened', look)
      await page.goto(`http://nowhere.example.localhost:${cistern.port}/story`)
      assert.equal(await page.textContent('h1'), 'This page isn’t here yet')
      await axeFindsNothing('the offline page', look)
      await change('POST', 'link', 'auto')
      await change('PATCH', 'sync', '{"paused": false}')
    })
  }
  console.log('the whole story holds')
} finally {
  await browser.close()
  await paper.stop()
  await other.stop()
  if (cistern.process?.exitCode === null && cistern.process.signalCode === null) await cistern.stop()
}
