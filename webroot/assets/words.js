// Texts, times and sizes in the reader's words. All sentences are in webroot/texts.
let sentences = {}
export async function loadTexts () { sentences = await (await fetch('/assets/texts.json')).json() }

export function say (key, filled = {}) {
  return (sentences[key] ?? key).replace(/\{(\w+)\}/g, (all, name) => filled[name] ?? all)
}
export function count (key, n) { return say(`${key}.${n === 1 ? 'one' : 'other'}`, { n }) }

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
export function size (bytes) {
  let unit = 0
  for (; bytes >= 1024 && unit + 1 < units.length; ++unit) bytes /= 1024
  return `${bytes.toFixed(unit === 0 || bytes >= 100 ? 0 : 1)} ${units[unit]}`
}

const steps = [['years', 31536000], ['days', 86400], ['hours', 3600], ['minutes', 60]]
export function ago (when, now = Date.now()) {
  const seconds = Math.abs(now - when) / 1000
  const direction = when <= now ? 'ago' : 'in'
  if (seconds < 45) return say(`${direction}.now`)
  for (const [name, length] of steps) {
    const n = Math.floor((seconds + length / 4) / length)
    if (n >= 1) return count(`${direction}.${name}`, n)
  }
  return count(`${direction}.minutes`, 1)
}

/** Times are told relative to now, with the exact one, in this reader's zone, on hover. */
export function tellTimes () {
  const language = document.documentElement.lang
  const today = new Date().toISOString().slice(0, 10)
  for (const t of document.querySelectorAll('time[datetime]')) {
    const when = new Date(t.dateTime)
    if (isNaN(when)) continue
    if ('day' in t.dataset) {
      const name = when.toLocaleDateString(language, { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' })
      t.textContent = t.dateTime === today ? say('day.today', { day: name }) : name
    } else {
      t.title = when.toLocaleString(language, { dateStyle: 'full', timeStyle: 'medium' })
      t.textContent = ago(when.getTime())
    }
  }
}

/** The days under a chart, the last of which are to be seen. */
export function tellDays () {
  const language = document.documentElement.lang
  for (const chart of document.querySelectorAll('.latest')) chart.scrollLeft = chart.scrollWidth
  for (const t of document.querySelectorAll('text[data-date]'))
    t.textContent = new Date(t.dataset.date + 'T00:00Z').toLocaleDateString(language, { day: 'numeric', month: 'short', timeZone: 'UTC' })
}

/** For who hears the page. */
export function tell (sentence) { document.getElementById('said').textContent = sentence }
