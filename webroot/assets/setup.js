// Set-up: try the doors to https, take addresses along.
import { tellDoors, tryDoors } from './doors.js'
import { say, tell } from './words.js'

const button = document.getElementById('try-doors')
button.addEventListener('click', async () => {
  button.disabled = true
  await tryDoors(document.getElementById('doors').dataset.gateway)
  tellDoors()
  button.disabled = false
})
tellDoors()

document.addEventListener('click', async event => {
  const from = document.getElementById(event.target.dataset?.copy)
  if (!from) return
  if (!navigator.clipboard) return getSelection().selectAllChildren(from) // over plain http from another machine
  await navigator.clipboard.writeText(from.textContent)
  event.target.textContent = say('setup.copied')
  tell(say('setup.copied'))
})
