document.getElementById('said').textContent = 'Scripts say: loaded.'
