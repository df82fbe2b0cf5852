// The API, as the pages use it. A refusal becomes an Error with the API's own sentence.
export async function call (method, path, body) {
  const isText = typeof body === 'string'
  const answer = await fetch('/api/v1/' + path, {
    method,
    headers: { 'X-Cistern': '1', ...(body !== undefined && { 'Content-Type': isText ? 'text/plain' : 'application/json' }) },
    body: body === undefined ? undefined : isText ? body : JSON.stringify(body),
  })
  const text = await answer.text()
  let value = text
  try { value = JSON.parse(text) } catch { /* a few answers are plain text */ }
  if (answer.status === 401) location.assign('/login')
  if (!answer.ok) throw Object.assign(new Error(value.error ?? text), { value })
  return value
}

// What the reader had opened, and where the keyboard was, stays as it was.
function carryOver (from, to) {
  for (const opened of from.querySelectorAll('details[data-keep][open]'))
    to.querySelector(`details[data-keep="${CSS.escape(opened.dataset.keep)}"]`)?.setAttribute('open', '')
  const at = from.contains(document.activeElement) ? document.activeElement : null
  const row = at?.closest('[data-id]')
  if (!row || !at.dataset.do) return () => {}
  return () => {
    const same = to.querySelector(`[data-id="${CSS.escape(row.dataset.id)}"]`)
    ;(same?.querySelector(`[data-do="${CSS.escape(at.dataset.do)}"]`) ?? same?.querySelector('button') ?? to.querySelector('button'))?.focus()
  }
}

// Null where nobody answers: the daemon has stopped, or this page is being left.
async function pageNow () {
  try {
    const answer = await fetch(location.href, { headers: { Accept: 'text/html' } })
    return answer.ok ? await answer.text() : null
  } catch { return null }
}

const turns = new Map()

// Replaces parts of this page by what the server makes of them now: one way of drawing them, here and without scripts.
// Of two that are asked for at once the later counts, whichever answer comes first.
export async function refresh (...selectors) {
  const parts = selectors.join(' ')
  const mine = (turns.get(parts) ?? 0) + 1
  turns.set(parts, mine)
  const text = await pageNow()
  if (text === null || turns.get(parts) !== mine) return
  const fresh = new DOMParser().parseFromString(text, 'text/html')
  for (const selector of selectors) {
    const from = fresh.querySelector(selector); const to = document.querySelector(selector)
    if (!from || !to) continue
    const focusAgain = carryOver(to, from)
    to.replaceWith(from)
    focusAgain()
  }
  document.dispatchEvent(new CustomEvent('redrawn'))
}
