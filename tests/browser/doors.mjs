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
    ...(proxy ? { proxy: { server: `http://${proxy}`, bypass: 'localhost' } } : {}),
    args: [...quiet, ...args],
  })
}

const through = `127.0.0.1:${cistern.port}`
const logOf = door => join(folder, `${door}.netlog.json`)
const logged = door => `--log-net-log=${logOf(door)}`
const doors = {
  direct: { browser: await browse(['--ignore-certificate-errors'], `127.0.0.1:${parent.port}`), at: host => `https://${host}` },
  gateway: { browser: await browse([logged('gateway')]), at: host => `http://${host}.localhost:${cistern.port}` },
  // The root is not in the browser's store; that its chain holds is shown with curl and OpenSSL.
  proxy: { browser: await browse([logged('proxy'), '--ignore-certificate-errors'], through), at: host => `https://${host}` },
}

// For comparison, a browser that is held back by nothing: what a page asks for is in its log.
const loose = await browse([logged('loose'), '--ignore-certificate-errors', `--host-resolver-rules=MAP hostile.garden.test 127.0.0.1:${world.port}`])

/** What a browser wrote down about the network; cut off where it was closed. */
async function networkLog (door) {
  const text = (await readFile(logOf(door), 'utf8')).trimEnd()
  const log = JSON.parse(text.endsWith('}') ? text : text.replace(/,$/, '') + ']}')
  const names = Object.fromEntries(Object.entries(log.constants.logEventTypes).map(([name, number]) => [number, name]))
  return log.events.map(event => ({ type: names[event.type], params: event.params ?? {} }))
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
  const context = await (doors[door]?.browser ?? loose).newContext({ viewport: { width: 900, height: 700 } })
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
  out.pictures = [await page.screenshot()]
  await page.click('#relative')
  await page.waitForFunction(() => document.title === 'About the garden')
  await page.waitForLoadState('networkidle')
  await page.evaluate(() => document.fonts.ready)
  out.pictures.push(await page.screenshot())
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
        for (const [i, picture] of view.pictures.entries()) {
          const share = await differingShare(doors.direct.browser, views.direct.pictures[i], picture)
          assert.ok(share < 0.01, `${(share * 100).toFixed(2)}% of pixels differ`)
          console.log(`  ${(share * 100).toFixed(3)}% of pixels differ`)
        }
        if (door === 'gateway') {
          for (const url of view.requests) {
            const { protocol, host } = new URL(url)
            assert.ok(!protocol.startsWith('http') || host.endsWith(`.localhost:${cistern.port}`), `asked for ${url}`)
          }
        }
      })
    }
  }
  await step('the origins start again', () => world.start())

  const root = join(data, 'ca', 'root.pem')
  const tell = (input, command, ...args) => execFileSync(command, args, { input, encoding: 'utf8', stdio: 'pipe', env: { ...process.env, https_proxy: `http://${through}` } })
  const ask = (...command) => tell('', ...command)
  await step('curl, wget and a client that greets like Firefox are content with the certificate', async () => {
    const page = await readFile(join(sites, 'www', 'index.html'), 'utf8')
    assert.equal(ask('curl', '-sS', '--cacert', root, 'https://www.garden.test/'), page)
    assert.equal(ask('wget', '-q', '-O', '-', `--ca-certificate=${root}`, 'https://www.garden.test/'), page)
    for (const version of ['-tls1_2', '-tls1_3']) {
      const said = tell('GET / HTTP/1.1\r\nHost: www.garden.test\r\nConnection: close\r\n\r\n', 'openssl', 's_client', '-proxy', through, '-connect', 'www.garden.test:443',
        '-servername', 'www.garden.test', '-verify_hostname', 'www.garden.test', '-CAfile', root, '-verify_return_error', '-alpn', 'h2,http/1.1',
        '-groups', 'X25519:P-256:P-384:P-521', '-ign_eof', '-quiet', version)
      assert.ok(said.startsWith('HTTP/1.1 200 ') && said.includes(page), version)
    }
    assert.throws(() => ask('curl', '-sS', '--cacert', authority.root, 'https://www.garden.test/'), /certificate/)
  })
  await step('the hosts of the PAC file are those of the certificate', async () => {
    const pac = await (await fetch(`http://${through}/proxy.pac`)).text()
    const shown = execFileSync('openssl', ['x509', '-noout', '-ext', 'nameConstraints', '-in', join(data, 'ca', 'issuer.pem')], { encoding: 'utf8' })
    const named = [...shown.matchAll(/DNS:(\S+)/g)].map(m => m[1]).filter(h => h !== 'cistern.invalid').sort()
    assert.deepEqual(named, [...hosts].sort())
    const find = new Function(`${pac}; return FindProxyForURL`)()
    for (const host of hosts) assert.match(find(`https://${host}/`, host), /^PROXY /)
    assert.equal(find('https://elsewhere.test/', 'elsewhere.test'), 'DIRECT')
  })

  await step('Set-up says which door works in the browser that asks', async () => {
    for (const [door, works] of [['gateway', ['gateway']], ['proxy', ['gateway', 'proxy', 'certificate']]]) {
      const context = await doors[door].browser.newContext()
      const page = await context.newPage()
      await page.goto(`http://localhost:${cistern.port}/setup`)
      await page.waitForFunction(() => document.documentElement.dataset.ready)
      await page.click('#try-doors')
      await page.waitForSelector('#try-doors:enabled')
      const said = await page.$$eval('[data-door]', all => all.filter(e => e.textContent === 'works in this browser').map(e => e.dataset.door))
      assert.deepEqual(said, works, door)
      await context.close()
    }
  })

  await step('modules that import modules by address work once our service worker, or the one before the site\'s, is there', async () => {
    for (const host of ['hostile.garden.test', 'app.garden.test']) {
      const { context, page, errors } = await reader('gateway')
      await page.goto(doors.gateway.at(host) + (host.startsWith('app') ? '/' : '/modules.html'))
      await page.waitForFunction(async () => {
        const all = await Object.getPrototypeOf(navigator.serviceWorker).constructor.prototype.getRegistrations.call(navigator.serviceWorker)
        return all.length > 0 || performance.now() > 4000
      })
      await page.waitForTimeout(1500)
      errors.length = 0
      await page.goto(doors.gateway.at(host) + '/modules.html', { waitUntil: 'networkidle' })
      assert.equal(await page.textContent('#said'), 'modules import modules', host)
      assert.deepEqual(errors, [], host)
      assert.equal(await page.evaluate(() => navigator.serviceWorker.controller?.scriptURL ?? null) !== null, host.startsWith('app'), 'ours is not shown to the site')
      await context.close()
    }
  })

  await step('a page that tries everything reaches nobody', async () => {
    for (const door of ['loose', 'gateway']) {
      const { context, page } = await reader(door)
      for (let round = 0; round < 2; ++round) { // the second time with our service worker
        await page.goto(door === 'loose' ? 'https://hostile.garden.test/' : doors.gateway.at('hostile.garden.test') + '/')
        await page.waitForFunction(() => document.title === 'tried', null, { timeout: 30000 })
      }
      if (door === 'gateway') assert.ok(page.url().startsWith(doors.gateway.at('hostile.garden.test')))
      await context.close()
    }
  })

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
  await loose.close()
  await cistern.stop()
  parent.stop()
  if (world.process.exitCode === null && world.process.signalCode === null) await world.stop()
}

const outside = /([\w-]+)\.outside\.test(?!\.localhost)/g
const outsiders = log => new Set([...JSON.stringify(log).matchAll(outside)].map(m => m[1]))

await step('in a browser that nothing holds back the hostile page does what it says', async () => {
  const reached = outsiders(await networkLog('loose'))
  const expected = ['srcset', 'fetch', 'websocket', 'form', 'prefetch', 'frame', 'script', 'module', 'beacon', 'webrtc', 'blank-fetch', 'blank-webrtc',
    'index-fetch', 'data-script', 'sandbox-script', 'markup-sandbox-image'] // a headless Chromium does not connect in advance (preconnect, dns-prefetch)
  assert.deepEqual(expected.filter(kind => !reached.has(kind)), [])
  console.log(`  ${reached.size} kinds of request`)
})

await step("the browser's own log names nobody but Cistern", async () => {
  const log = await networkLog('gateway')
  const asked = new Set()
  for (const { params } of log)
    if (typeof params.url === 'string' && /^(https?|wss?):/.test(params.url)) asked.add(new URL(params.url).host)
  const errands = /\.(google|googleapis|gstatic|gvt1)\.com$/ // Chromium's own, at its start; no page asks for them
  const strangers = [...asked].filter(host => !host.endsWith(`.localhost:${cistern.port}`) && !/^(127\.0\.0\.1|localhost):|^cistern\.invalid$/.test(host) && !errands.test(host))
  assert.deepEqual(strangers, [])
  assert.ok(asked.size > 3, 'the log is empty')
  assert.deepEqual([...outsiders(log)], [], 'no name was looked up, nobody connected to')
})

await step('through the proxy no connection goes to anybody but Cistern', async () => {
  for (const door of ['gateway', 'proxy']) {
    const to = new Set((await networkLog(door)).filter(e => e.type === 'TCP_CONNECT_ATTEMPT' && e.params.address).map(e => e.params.address))
    assert.deepEqual([...to].filter(address => address !== through && address !== `[::1]:${cistern.port}`), [], door)
    assert.ok(to.has(through), 'the log is empty')
  }
})
if (failures > 0) process.exit(1)
console.log('both doors hold')
