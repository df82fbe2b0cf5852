const list = document.getElementById('items')
async function show () {
  const answer = await fetch('https://api.garden.test/items.json')
  for (const item of await answer.json()) {
    const line = document.createElement('li')
    line.textContent = item
    list.append(line)
  }
  const old = new XMLHttpRequest()
  old.open('GET', 'https://api.garden.test/old.json')
  await new Promise(resolve => { old.onload = resolve; old.send() })
  list.dataset.old = old.responseText.trim()
  const image = new Image(80, 60)
  image.id = 'dynamic'
  image.src = 'https://cdn.garden.test/well.png?dynamic'
  document.getElementById('more').append(image)
  await image.decode()
  document.getElementById('more').insertAdjacentHTML('beforeend', '<img id="written" src="https://cdn.garden.test/well.png?written" width="80" height="60">')
  await document.getElementById('written').decode()
  const kept = await navigator.serviceWorker.register('/worker.js')
  await navigator.serviceWorker.ready
  list.dataset.worker = kept.scope.endsWith('/') ? 'ready' : 'odd'
  history.pushState({}, '', 'https://app.garden.test/items/1')
  list.dataset.done = location.pathname
}
show().catch(error => { list.dataset.done = 'failed: ' + error })
