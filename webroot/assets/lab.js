// The stitch lab: how a site is stitched, and learning it anew.
import { call } from './api.js'
import { say, tell } from './words.js'

const site = document.getElementById('lab-site')
const said = document.getElementById('lab-said')

function announce (sentence, trouble = false) {
  said.textContent = sentence
  said.className = trouble ? 'trouble' : 'notice'
  said.hidden = false
  tell(sentence)
}

async function change (wish, sentence) {
  try {
    await call('PATCH', 'subscriptions/' + site.dataset.id, wish)
    announce(sentence)
    return true
  } catch (error) { announce(error.message, true) }
}

site?.addEventListener('click', async event => {
  const how = event.target.dataset.stitching
  if (how && await change({ stitching: how }, say('lab.changed'))) location.reload()
  if (event.target.id === 'relearn') await change({ relearn: true }, say('lab.relearning'))
})

document.querySelector('.lab-pick select')?.addEventListener('change', event => { if (event.target.value) event.target.form.submit() })
