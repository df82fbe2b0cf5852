// Which door to https works in this browser. Tried only when asked: without the proxy the browser complains about the name, which nobody has.
import { say } from './words.js'

const check = '://cistern.invalid/.well-known/cistern/here'
const kept = 'cistern.doors'

/** Only Cistern answers under these names, and it lets this page read that. */
async function works (url) {
  if (!url) return false
  try { return (await fetch(url, { cache: 'no-store', signal: AbortSignal.timeout(10000) })).ok } catch { return false }
}

export async function tryDoors (gateway) {
  const [first, second, third] = await Promise.all([works(gateway), works('http' + check), works('https' + check)])
  const found = { gateway: first, proxy: second || third, certificate: third }
  localStorage.setItem(kept, JSON.stringify(found))
  return found
}

function known () { try { return JSON.parse(localStorage.getItem(kept)) } catch { return null } }

const needs = { gateway: 'gateway', proxy: 'proxy', certificate: 'certificate', plain: 'proxy', read_here: 'certificate' }

/** Says beside each door whether it works, as far as that was tried. */
export function tellDoors (inBrackets) {
  const found = known()
  for (const place of document.querySelectorAll('[data-door]')) {
    const need = needs[place.dataset.door]
    if (!need) continue
    const words = say(found === null ? 'door.unknown' : found[need] ? 'door.here' : 'door.not_here')
    place.textContent = inBrackets ? ` (${words})` : words
    if (!inBrackets) place.className = found === null ? '' : found[need] ? 'well' : 'not-well'
  }
}
