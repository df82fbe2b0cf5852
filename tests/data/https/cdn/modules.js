// A module on another host, named in the script's own text: no page's script can change that address.
import { words } from 'https://cdn.garden.test/words.js'
document.getElementById('said').textContent = words
