// Debian's Chromium, headless, with a proxy for everything. Nothing it does on its own reaches the network.
import { chromium } from 'playwright-core'

export function launch (proxy) {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    proxy: { server: `http://${proxy}` },
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage'],
  })
}

// A reader who has never been here: no browser cache that could hide what the proxy does. `seen` collects every answer.
export async function newReader (browser, options = {}) {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  const seen = []
  page.on('response', r => seen.push(r))
  return { context, page, seen }
}

// The same without a proxy: for the dashboard, which is not reached through one.
export function launchDirect () {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage'],
  })
}
