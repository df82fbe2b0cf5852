// Results while one types: the page's own address changes with the form, and the results are drawn by the server.
import { refresh } from './api.js'
import { walkByKeys } from './rows.js'
import { count, say, tell } from './words.js'

const form = document.getElementById('seek')
const field = document.getElementById('q')
let later = null
let asked = location.search
let turn = 0

function address () {
  const chosen = [...new FormData(form)].filter(([, value]) => value !== '')
  return chosen.length === 0 ? '' : '?' + new URLSearchParams(chosen)
}

async function look () {
  clearTimeout(later)
  const wanted = address()
  if (wanted === asked) return
  asked = wanted
  const mine = ++turn
  history.replaceState(null, '', '/search' + wanted)
  await refresh('#results')
  if (mine !== turn) return
  const found = document.querySelectorAll('.results .item').length
  if (field.value.trim() !== '') tell(found === 0 ? say('search.nothing') : count('search.found', found))
}

field.addEventListener('input', () => {
  clearTimeout(later)
  later = setTimeout(look, 250)
})
form.addEventListener('change', event => { if (event.target !== field) look() })
form.addEventListener('submit', event => {
  event.preventDefault()
  look()
})
walkByKeys()
