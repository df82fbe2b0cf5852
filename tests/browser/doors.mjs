// The two doors to https: the gateway, which needs no set-up, and the intercepting proxy, which needs a certificate. Both show
// what a direct visit shows, online and with the origins stopped, and nothing goes past Cistern.
//   node doors.mjs CISTERN SITES FOLDER
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { Cistern } from './cistern.mjs'
import { differingShare } from './pictures.mjs'
import { hosts, makeAuthority, startParent, TlsWorld } from './tls_world.mjs'

const [program, sites, folder] = process.argv.slice(2)
const authority = await makeAuthority(join(folder, 'web-ca'))
const world = new TlsWorld(join(folder, 'nginx'), sites, authority)
await world.start()
const parent = await startParent(world.port)
const data = join(folder, 'cistern', 'data')
const cistern = new Cistern(program, join(folder, 'cistern'), `
[fetch]
parent_proxy = "http://127.0.0.1:${parent.port}"
ca_file = "${authority.root}"
[intercept]
hosts = [${hosts.map(h => `"${h}"`).join(', ')}]
`)
execFileSync(program, ['ca', 'init', '--data', data], { stdio: 'pipe', env: { ...process.env, XDG_CONFIG_HOME: folder } })
await cistern.start()

const quiet = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage', '--disable-default-apps', '--no-pings']

function browse (args, proxy) {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    ...(proxy ? { proxy: { server: `http://${proxy}` } } : {}),
    args: [...quiet, ...args],
  })
}

const through = `127.0.0.1:${cistern.port}`
const gatewayLog = join(folder, 'gateway.netlog.json')
const doors = {
  direct: { browser: await browse(['--ignore-certificate-errors'], `127.0.0.1:${parent.port}`), at: host => `https://${host}` },
  gateway: {
    browser: await browse([`--log-net-log=${gatewayLog}`]),
    at: host => `http://${host}.localhost:${cistern.port}`,
  },
  // The root is not in the browser's store; that its chain holds is shown with curl and OpenSSL.
  proxy: { browser: await browse(['--ignore-certificate-errors'], through), at: host => `https://${host}` },
}

const views = {}
let failures = 0
async function step (what, run) {
  const began = Date.now()
  try {
    await run()
    console.log(`ok: ${what} (${Date.now() - began} ms)`)
  } catch (error) {
    ++failures
    console.error(`FAILED: ${what}\n`, error)
  }
}

async function reader (door) {
  const context = await doors[door].browser.newContext({ viewport: { width: 900, height: 700 } })
  const page = await context.newPage()
  const errors = []
  const requests = []
  page.on('console', m => { if (m.type() === 'error') errors.push(m.text()) })
  page.on('pageerror', e => errors.push(String(e)))
  page.on('request', r => requests.push(r.url()))
  return { context, page, errors, requests }
}

async function look (door) {
  const { context, page, errors, requests } = await reader(door)
  const out = {}
  await page.goto(doors[door].at('www.garden.test') + '/', { waitUntil: 'networkidle' })
  out.home = await page.evaluate(async () => {
    await document.fonts.ready
    return {
      title: document.title,
      text: document.body.innerText.replace(/\s+/g, ' '),
      broken: [...document.images].filter(i => !i.complete || i.naturalWidth === 0).map(i => i.id),
      fonts: [...document.fonts].map(f => f.status).join(),
      background: getComputedStyle(document.body).backgroundColor,
      inner: document.getElementById('inner').contentDocument.images[0].naturalWidth > 0,
    }
  })
  out.picture = await page.screenshot()
  await page.click('#relative')
  await page.waitForFunction(() => document.title === 'About the garden')
  await page.goBack()
  await page.click('#absolute')
  await page.waitForFunction(() => document.getElementById('items')?.dataset.done !== undefined, null, { timeout: 20000 })
  out.app = await page.evaluate(() => ({
    ...document.getElementById('items').dataset,
    items: document.getElementById('items').innerText.replace(/\s+/g, ' '),
    broken: [...document.images].filter(i => !i.complete || i.naturalWidth === 0).map(i => i.id),
  }))
  out.errors = errors
  out.requests = requests
  await context.close()
  return out
}

const plain = view => ({ home: view.home, app: view.app })

try {
  await step('a direct visit is what it should be', async () => {
    views.direct = await look('direct')
    assert.deepEqual(views.direct.errors, [])
    assert.deepEqual(views.direct.home.broken, [])
    assert.equal(views.direct.home.fonts, 'loaded')
    assert.equal(views.direct.app.done, '/items/1')
  })
  for (const when of ['online', 'with the origins stopped']) {
    if (when !== 'online') await step('the origins stop', () => world.stop())
    for (const door of ['gateway', 'proxy']) {
      await step(`${when}, the ${door} shows what the direct visit shows`, async () => {
        const view = await look(door)
        assert.deepEqual(plain(view), plain(views.direct))
        assert.deepEqual(view.errors, [])
        const share = await differingShare(doors.direct.browser, views.direct.picture, view.picture)
        assert.ok(share < 0.01, `${(share * 100).toFixed(2)}% of pixels differ`)
        console.log(`  ${(share * 100).toFixed(3)}% of pixels differ`)
        if (door === 'gateway') {
          for (const url of view.requests) {
            const { protocol, host } = new URL(url)
            assert.ok(!protocol.startsWith('http') || host.endsWith(`.localhost:${cistern.port}`), `asked for ${url}`)
          }
        }
      })
    }
  }
  await step('a carried page cannot reach the dashboard, nor leave', async () => {
    const { context, page } = await reader('gateway')
    await page.goto(doors.gateway.at('www.garden.test') + '/about.html')
    const seen = await page.evaluate(async port => {
      const tried = {}
      const attempt = async (name, run) => { try { tried[name] = await run() } catch { tried[name] = 'refused' } }
      await attempt('dashboard', () => fetch(`http://localhost:${port}/`).then(r => r.text()))
      await attempt('order', () => fetch(`http://localhost:${port}/api/v1/link`, { method: 'POST', headers: { 'X-Cistern': '1' }, body: 'offline' }).then(r => r.text()))
      await attempt('image', () => new Promise((resolve, reject) => {
        const image = new Image()
        image.onload = () => resolve('loaded')
        image.onerror = reject
        image.setAttributeNS(null, 'src', `http://127.0.0.1:${port}/favicon.ico`)
      }))
      document.cookie = 'crossing=1; domain=test.localhost'
      return tried
    }, cistern.port)
    assert.deepEqual(seen, { dashboard: 'refused', order: 'refused', image: 'refused' })
    await page.goto(doors.gateway.at('app.garden.test') + '/')
    assert.ok(!(await page.evaluate(() => document.cookie)).includes('crossing'))
    await context.close()
  })
} finally {
  for (const door of Object.values(doors)) await door.browser.close()
  await cistern.stop()
  parent.stop()
  if (world.process.exitCode === null && world.process.signalCode === null) await world.stop()
}

await step("the browser's own log names nobody but Cistern", async () => {
  const text = await readFile(gatewayLog, 'utf8')
  const log = JSON.parse(text.trimEnd().endsWith('}') ? text : text.trimEnd().replace(/,$/, '') + ']}')
  const asked = new Set()
  for (const event of log.events) {
    const url = event.params?.url
    if (typeof url === 'string' && /^(https?|wss?):/.test(url)) asked.add(new URL(url).host)
  }
  const errands = /\.(google|googleapis|gstatic)\.com$/ // Chromium's own, at its start; no page asks for them
  const outside = [...asked].filter(host => !host.endsWith(`.localhost:${cistern.port}`) && !/^(127\.0\.0\.1|localhost):/.test(host) && !errands.test(host))
  assert.deepEqual(outside, [])
  assert.ok(asked.size > 3, 'the log is empty')
})
if (failures > 0) process.exit(1)
console.log('both doors hold')
