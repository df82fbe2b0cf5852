// Set-up: try the doors to https.
import { tellDoors, tryDoors } from './doors.js'

const button = document.getElementById('try-doors')
button.addEventListener('click', async () => {
  button.disabled = true
  await tryDoors(document.getElementById('doors').dataset.gateway)
  tellDoors()
  button.disabled = false
})
tellDoors()
