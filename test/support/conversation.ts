/**
 * Several clients of one server who speak in turn: after each command all that any of them receives
 * is collected, so that two servers can be compared step by step.
 */
import { connect, type Socket } from 'node:net'
import { splitArgs } from '../../src/base/split-args.ts'
import { encodeCommand } from '../../src/resp/encode.ts'
import { HOST } from './real-nodes.ts'

/** Who speaks, and the words; `$b` stands for the id of client b. */
export interface Step {
  readonly who: string
  readonly words: readonly string[]
}

/** What every client receives in a step, in the order of their names. */
export type Heard = Readonly<Record<string, string>>

const SYNC = '--sync-'
/** A server says nothing for as long only if it waits for something that never comes. */
const SILENCE_MS = 10_000

/**
 * One step per line: `a: GET key`. `a! BLPOP l 0`: the client waits for an answer, which comes with
 * a later step; `a.` ends that. `a- CLIENT CACHING YES`: the client sends nothing beside the command,
 * since a PING behind it would end what it says.
 */
export function parseSteps(text: string): Step[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ who: line.slice(0, 2), words: splitArgs(line.slice(2)) ?? [] }))
}

export async function converse(port: number, steps: readonly Step[]): Promise<Heard[]> {
  const clients = new Map<string, Speaker>()
  for (const name of new Set(steps.map(({ who }) => who.charAt(0)))) {
    clients.set(name, await Speaker.open(port))
  }
  const heard: Heard[] = []
  try {
    for (const { who, words } of steps) {
      const speaker = clients.get(who.charAt(0)) as Speaker
      speaker.isWaiting = who.endsWith('!')
      speaker.sendsNoPing = who.endsWith('-')
      if (words.length > 0) speaker.say(words.map((word) => withIds(word, clients)))
      for (const client of [speaker, ...clients.values()]) await client.settle()
      heard.push(
        Object.fromEntries(
          [...clients].map(([name, client]) => [name, maskIds(client.take(), clients)]),
        ),
      )
    }
  } finally {
    for (const client of clients.values()) client.end()
  }
  return heard
}

function withIds(word: string, clients: ReadonlyMap<string, Speaker>): string {
  return word.replace(/^\$([a-z])$/, (all, name: string) => clients.get(name)?.id ?? all)
}

/** Where a reply names a client by its id, the name that the test has for it. */
const ID = /(?<=\r\n(?:id|redirect|tracking-redir-broken)\r\n):(\d+)/g

function maskIds(text: string, clients: ReadonlyMap<string, Speaker>): string {
  const names = new Map([...clients].map(([name, { id }]) => [id, name]))
  let masked = text.replace(ID, (all, id: string) => `:${names.get(id) ?? all}`)
  for (const [name, { port }] of clients)
    masked = masked.replaceAll(`:${port}`, `:<port of ${name}>`)
  return masked
}

class Speaker {
  readonly #socket: Socket
  #received = ''
  #wake: () => void = () => undefined
  #isClosed = false
  id = ''
  isWaiting = false
  sendsNoPing = false
  /** Its commands are queued: it is in step when something was answered. */
  #isInTransaction = false
  #wasAsked = false
  #syncs = 0
  /** Its last command. */
  #asked = ''

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setEncoding('latin1')
    socket.on('data', (bytes) => {
      this.#received += bytes
      this.#wake()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      this.#isClosed = true
      this.#wake()
    })
  }

  static async open(port: number): Promise<Speaker> {
    const speaker = new Speaker(connect(port, HOST))
    speaker.say(['CLIENT', 'ID'])
    await speaker.#until(() => speaker.#received.endsWith('\r\n'))
    speaker.id = speaker.take().slice(1, -2)
    return speaker
  }

  get port(): number {
    return this.#socket.localPort ?? 0
  }

  say(words: readonly string[]): void {
    const name = words[0]?.toLowerCase() ?? ''
    if (name === 'multi') this.#isInTransaction = true
    if (name === 'exec' || name === 'discard' || name === 'reset') this.#isInTransaction = false
    this.#wasAsked = true
    if (words[1]?.startsWith(SYNC) !== true) this.#asked = words.join(' ')
    this.#socket.write(encodeCommand(words), 'latin1')
  }

  /** Until the server has said all that it has to say. */
  async settle(): Promise<void> {
    if (this.isWaiting || this.#isClosed) return
    if (this.#isInTransaction || this.sendsNoPing)
      return this.#until(() => !this.#wasAsked || this.#received !== '')
    const token = `${SYNC}${++this.#syncs}--`
    this.say(['PING', token])
    await this.#until(() => this.#isClosed || this.#received.includes(`${token}\r\n`))
    const answer = `$${token.length}\r\n${token}\r\n`
    this.#received = this.#received.replace(`*2\r\n$4\r\npong\r\n${answer}`, '').replace(answer, '')
  }

  take(): string {
    const received = this.#received
    this.#received = ''
    this.#wasAsked = false
    return this.#isClosed ? `${received}(closed)` : received
  }

  end(): void {
    this.#socket.destroy()
  }

  #until(holds: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const bound = setTimeout(() => {
        reject(
          new Error(`no answer to ${this.#asked} in ${SILENCE_MS} ms, only: ${this.#received}`),
        )
      }, SILENCE_MS)
      this.#wake = () => {
        if (!holds()) return
        clearTimeout(bound)
        resolve()
      }
      this.#wake()
    })
  }
}
