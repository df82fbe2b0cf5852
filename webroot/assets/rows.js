// A list of rows with titles, walked by keys: j and k move, o opens, v shows the page as its site made it.
let current = null

const rows = () => [...document.querySelectorAll('.item')]
export const selected = () => current

function select (row) {
  current?.classList.remove('current')
  current = row
  if (!row) return
  row.classList.add('current')
  row.querySelector('.title').focus({ preventScroll: true })
  row.scrollIntoView({ block: 'nearest' })
}

function move (by) {
  const all = rows()
  const at = all.indexOf(current)
  select(all[Math.max(0, Math.min(all.length - 1, at < 0 ? 0 : at + by))])
}

const walking = {
  j: () => move(1),
  k: () => move(-1),
  o: () => current?.querySelector('.title').click(),
  v: () => current?.querySelector('.original')?.click(),
}

/** `more` are keys of the page's own. */
export function walkByKeys (more = {}) {
  const keys = { ...walking, ...more }
  addEventListener('keydown', event => {
    const typing = event.target.closest('input, textarea, select')
    if (typing || event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return
    event.preventDefault()
    keys[event.key]()
  })
  document.getElementById('main').addEventListener('focusin', event => {
    const row = event.target.closest('.item')
    if (row && row !== current) { current?.classList.remove('current'); current = row; row.classList.add('current') }
  })
}
