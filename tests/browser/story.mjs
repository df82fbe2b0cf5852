// The story of issue "serve from the repository at once": a person reads a site, the link goes down, everything that was read is
// still there, something new is queued, the link comes back, and the page that was asked for appears by itself.
//   node story.mjs CISTERN SITE FOLDER
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { Cistern } from './cistern.mjs'
import { launch, newReader } from './browser.mjs'
import { Nginx } from './nginx.mjs'

const [program, site, folder] = process.argv.slice(2)
const home = 'http://garden.test'
const pages = {
  '/': 'The village garden',
  '/about.html': 'About this garden',
  '/articles/wells.html': 'How to keep a well',
  '/articles/rain.html': 'Where the rain goes',
}

const nginx = new Nginx(join(folder, 'nginx'), site)
await nginx.start()
const cistern = new Cistern(program, join(folder, 'cistern'), `[fetch]\nparent_proxy = "http://127.0.0.1:${nginx.port}"\n`)
await cistern.start()
const browser = await launch(cistern.address)
let reader = null

async function step (what, run) {
  const began = Date.now()
  try {
    await run()
  } catch (error) {
    const picture = join(folder, 'failed.png')
    await reader?.page.screenshot({ path: picture, fullPage: true }).catch(() => {})
    console.error(`FAILED: ${what}\n  see ${picture} and ${join(folder, 'cistern', 'cistern.log')}`)
    throw error
  }
  console.log(`ok: ${what} (${Date.now() - began} ms)`)
}

async function become (options) {
  await reader?.context.close()
  reader = await newReader(browser, options)
}

async function read (path, title) {
  const answer = await reader.page.goto(home + path)
  assert.equal(answer.status(), 200, `${path} gave ${answer.status()}`)
  assert.equal(await reader.page.title(), title)
  return answer
}

/** Pictures have pixels, styles apply, also the imported one, and the font is there. */
async function looksRight () {
  const look = await reader.page.evaluate(async () => {
    await document.fonts.ready
    return {
      background: getComputedStyle(document.body).backgroundColor,
      broken: [...document.images].filter(i => !i.complete || i.naturalWidth === 0).map(i => i.src),
      font: [...document.fonts].map(f => f.status).join(),
    }
  })
  assert.deepEqual(look, { background: 'rgb(250, 247, 238)', broken: [], font: 'loaded' })
}

async function readEverything () {
  for (const [path, title] of Object.entries(pages)) {
    await read(path, title)
    await looksRight()
  }
}

async function cacheStatuses () {
  const all = []
  for (const r of reader.seen) all.push([r.url(), r.status(), (await r.allHeaders())['cache-status'] ?? ''])
  return all
}

try {
  await step('a person browses the site: pages, pictures, styles, the font', async () => {
    await become()
    await readEverything()
  })

  await step('a second reader gets it from the repository', async () => {
    await become()
    await readEverything()
    for (const [url, , status] of await cacheStatuses()) assert.match(status, /^cistern; (hit|fwd=stale)/, `${url}: ${status}`)
  })

  await step('nginx stops: everything that was read is still there', async () => {
    await nginx.stop()
    await become()
    await readEverything()
    for (const [url, code, status] of await cacheStatuses()) {
      assert.equal(code, 200, url)
      assert.match(status, /cistern; hit/, `${url}: ${status}`)
    }
  })

  await step('reload, which asks for validation, still shows the stored page', async () => {
    await read('/', pages['/'])
    const answer = await reader.page.reload()
    assert.equal(answer.status(), 200)
    assert.equal(await reader.page.title(), pages['/'])
    // one site that does not answer is that site's trouble; several are the link's
    assert.match((await answer.allHeaders())['cache-status'], /cistern; hit.*detail=(offline|origin-error)/)
  })

  await step('a part of a page that is not stored fails quickly', async () => {
    const [status, took] = await reader.page.evaluate(async () => {
      const began = performance.now()
      const answer = await fetch('/images/not-stored.png')
      return [answer.status, performance.now() - began]
    })
    assert.ok(status === 502 || status === 504, `gave ${status}`)
    assert.ok(took < 1000, `took ${took} ms`)
  })

  await step('a page that is not stored gives the offline page, which shows what is', async () => {
    const answer = await reader.page.goto(home + '/articles/news.html')
    assert.ok([502, 503, 504].includes(answer.status()), `gave ${answer.status()}`)
    await reader.page.waitForSelector('form#queue button')
    assert.match(await reader.page.textContent('main'), /garden\.test/)
    assert.ok(await reader.page.locator('section.nearby li a').count() > 0, 'nothing of this site is shown as stored')
    await reader.page.screenshot({ path: join(folder, 'offline.png'), fullPage: true })
  })

  await step('a click queues it', async () => {
    await reader.page.click('form#queue button')
    await reader.page.waitForFunction(() => document.getElementById('action').classList.contains('waiting'))
    assert.equal(await reader.page.isVisible('form#queue'), false)
  })

  await step('without scripts the same button works', async () => {
    const patient = await newReader(browser, { javaScriptEnabled: false })
    await patient.page.goto(home + '/articles/later.html')
    await patient.page.click('form#queue button')
    await patient.page.waitForSelector('#action.waiting')
    assert.equal(new URL(patient.page.url()).pathname, '/articles/later.html')
    await patient.context.close()
  })

  await step('the queue survives a restart of the daemon', async () => {
    await cistern.stop('SIGKILL')
    await cistern.start()
    const other = await newReader(browser)
    await other.page.goto(home + '/articles/news.html')
    await other.page.waitForSelector('#action.waiting')
    await other.context.close()
  })

  await step('nginx is back: the waiting page turns into the page by itself', async () => {
    await nginx.start()
    await reader.page.waitForSelector('#arrived', { timeout: 60000 })
    assert.equal(await reader.page.title(), 'The news of today')
    assert.equal(reader.page.url(), home + '/articles/news.html')
    await looksRight()
  })

  await step('what was queued without a script has arrived too', async () => {
    await become()
    await read('/articles/later.html', 'Something for later')
  })
  console.log('the whole story holds')
} finally {
  await browser.close()
  for (const p of [cistern, nginx]) if (p.process?.exitCode === null && p.process.signalCode === null) await p.stop()
}
