// The newspaper that `cistern demo` carries, started by itself and told what to do.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { untilExit } from './processes.mjs'

export class Paper {
  requests = [] // { url, range }, as they come
  waiting = new Map()

  constructor (program, { name = 'The Brook Courier', stories = 3, first = 1 } = {}) { Object.assign(this, { program, name, stories, first }) }

  async start () {
    this.process = spawn(this.program, ['demo', '--newspaper-only', '--name', this.name, '--stories', this.stories, '--first', this.first], { stdio: ['pipe', 'pipe', 'inherit'] })
    await new Promise((resolve, reject) => {
      this.process.on('error', reject).on('exit', code => reject(new Error(`the newspaper ended with ${code}`)))
      createInterface(this.process.stdout).on('line', line => {
        const address = /^The newspaper is at (.*)\/$/.exec(line)
        if (address) { this.origin = address[1]; resolve() }
        const request = /^GET (\S+) (.*)$/.exec(line)
        if (request) this.requests.push({ url: request[1], range: request[2] })
        if (line.startsWith('done ')) this.waiting.get(line.slice(5))?.()
      })
    })
  }

  /** "post", "post TITLE", "recording", "cut" (it cannot be reached, whatever was going on), "mend". */
  async tell (what) {
    const done = new Promise(resolve => this.waiting.set(what, resolve))
    this.process.stdin.write(what + '\n')
    await done
  }

  async read (path) { return (await fetch(this.origin + path)).text() }

  /** The titles of its stories, newest first. */
  async titles () { return [...(await this.read('/feed.xml')).matchAll(/<item><title>(.*?)<\/title>/g)].map(m => m[1]) }

  async stop () {
    this.process.stdin.end()
    await untilExit(this.process)
  }
}
