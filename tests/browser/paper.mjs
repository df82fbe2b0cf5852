// A small newspaper for tests: a homepage, a feed, articles with a picture and a style sheet, and a recording that comes slowly.
import { createServer } from 'node:http'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'

const picture = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==', 'base64')
const recording = Buffer.alloc(3 << 20, 'water ')

export class Paper {
  stories = ['Rain at last', 'The well is dug', 'A bridge over the brook']
  name = 'The Brook Courier'
  requests = []
  broken = false
  withRecording = false
  sockets = new Set()

  get origin () { return `http://localhost:${this.port}` }

  async start () {
    this.server = createServer((request, answer) => this.answer(request, answer).catch(() => answer.destroy()))
    this.server.on('connection', socket => {
      if (this.broken) return socket.destroy()
      this.sockets.add(socket)
      socket.on('close', () => this.sockets.delete(socket))
    })
    this.server.listen(this.port ?? 0, 'localhost')
    await once(this.server, 'listening')
    this.port = this.server.address().port
  }

  /** The publisher cannot be reached, in the middle of whatever was going on. */
  cut () {
    this.broken = true
    for (const socket of this.sockets) socket.destroy()
  }

  mend () { this.broken = false }

  stop () {
    for (const socket of this.sockets) socket.destroy()
    this.server.close()
  }

  async answer (request, answer) {
    this.requests.push({ url: request.url, range: request.headers.range })
    const send = (type, body, fields = {}) => {
      answer.writeHead(200, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body), 'Cache-Control': 'max-age=1', ...fields })
      answer.end(body)
    }
    const story = /^\/story\/(\d+)$/.exec(request.url)
    if (request.url === '/') return send('text/html', this.homepage())
    if (request.url === '/feed.xml') return send('application/rss+xml', this.feed(), { ETag: `"${this.stories.length}${this.withRecording}"` })
    if (story && this.stories[story[1]]) return send('text/html', this.page(+story[1]))
    if (request.url === '/look.css') return send('text/css', 'body { background: #fffdf5 }')
    if (request.url === '/picture.png') return send('image/png', picture)
    if (request.url === '/recording.mp3') return this.play(request, answer)
    answer.writeHead(404).end()
  }

  async play (request, answer) {
    const from = Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0)
    const fields = { 'Content-Type': 'audio/mpeg', 'Content-Length': recording.length - from, ETag: '"tape"', 'Accept-Ranges': 'bytes' }
    if (from > 0) fields['Content-Range'] = `bytes ${from}-${recording.length - 1}/${recording.length}`
    answer.writeHead(from > 0 ? 206 : 200, fields)
    for (let at = from; at < recording.length && !answer.destroyed; at += 32768) {
      answer.write(recording.subarray(at, at + 32768))
      await pause(40)
    }
    answer.end()
  }

  homepage () {
    const list = this.stories.map((title, i) => `<li><a href="/story/${i}">${title}</a></li>`).join('')
    return `<!doctype html><title>${this.name}</title><link rel="alternate" type="application/rss+xml" title="${this.name}" href="/feed.xml"><ul>${list}</ul>`
  }

  page (i) {
    return `<!doctype html><title>${this.stories[i]}</title><link rel="stylesheet" href="/look.css"><h1>${this.stories[i]}</h1>
      <p>The whole story number ${i}.</p><img src="/picture.png" alt="">`
  }

  feed () {
    const items = this.stories.map((title, i) => `<item><title>${title}</title><link>${this.origin}/story/${i}</link><guid>${this.origin}/story/${i}</guid>
      <pubDate>${new Date(Date.now() - (10 - i) * 3600000).toUTCString()}</pubDate>
      <description><![CDATA[<p>What the feed says of “${title}”. <img src="/picture.png" alt="a drop"><script>document.title = 'broken'</script></p>]]></description>
      ${this.withRecording && i === this.stories.length - 1 ? `<enclosure url="${this.origin}/recording.mp3" type="audio/mpeg" length="${recording.length}"/>` : ''}</item>`).reverse().join('\n')
    return `<?xml version="1.0"?><rss version="2.0"><channel><title>${this.name}</title><link>${this.origin}/</link><description>News</description>${items}</channel></rss>`
  }
}
