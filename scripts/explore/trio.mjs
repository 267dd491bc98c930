/**
 * Three data nodes of production, joined by ways on which nothing arrives by itself: whoever drives the trio says
 * which way delivers next, which node dies, and when time passes. Everything is a function of these choices.
 */
import { createRng } from '../../dist/base/rng.js'
import { encodeCommand } from '../../dist/resp/encode.js'
import { plainOf } from '../../dist/resp/plain.js'
import { ReplyDecoder } from '../../dist/resp/reply-decoder.js'
import { DataNode } from '../../dist/server/node.js'
import { SIMULATED_PROCESS } from '../../dist/server/port.js'
import { Settings } from '../../dist/server/settings/settings.js'
import { DataFiles } from '../../dist/sim/processes/data-files.js'

const PORT = 6379
const EPOCH_MS = 1_750_000_000_000

export const hostOf = (index) => `10.0.0.${index + 1}`

export class Trio {
  nowMs = 1_000
  /** Every connection between two nodes that is not over at both ends. */
  #pipes = new Set()
  nodes

  /** `directives`: of redis.conf, for all nodes. */
  constructor(directives, size = 3) {
    this.nodes = Array.from({ length: size }, (_, index) => new Member(this, index, directives))
    for (const member of this.nodes)
      member.start(member.index === 0 ? {} : { replicaof: `${hostOf(0)} ${PORT}` })
  }

  now() {
    return { monoMs: this.nowMs, wallMs: EPOCH_MS + this.nowMs }
  }

  /** Delivers everything and lets time pass, until nothing is on its way and `isSettled`. */
  settle(isSettled, roundsMax = 400) {
    for (let round = 0; round < roundsMax; round++) {
      let moved = false
      for (const [from, to] of this.ways()) {
        this.deliver(from, to)
        moved = true
      }
      if (moved) continue
      if (isSettled(this)) return
      this.pass(100)
    }
    throw new Error('the trio does not settle')
  }

  /** Ways on which something waits, as pairs of indices. */
  ways() {
    const ways = new Map()
    for (const { ends } of this.#pipes) {
      for (const end of ends) {
        if (end.queue.length > 0)
          ways.set(`${end.other.owner} ${end.owner}`, [end.other.owner, end.owner])
      }
    }
    return [...ways.keys()].sort().map((key) => ways.get(key))
  }

  /** Everything that waits on the way arrives. Returns what it was. */
  deliver(from, to) {
    const arrived = []
    for (const pipe of [...this.#pipes]) {
      for (const end of pipe.ends) {
        if (end.owner !== to || end.other.owner !== from) continue
        const events = end.queue.splice(0)
        for (const event of joined(events)) {
          arrived.push(event.kind === 'bytes' ? event.bytes : event.kind)
          this.nodes[to].arrive(end, event)
        }
      }
      if (pipe.ends.every(({ isOver, queue }) => isOver && queue.length === 0))
        this.#pipes.delete(pipe)
    }
    return arrived.join('|')
  }

  /** Time passes for all nodes that run. */
  pass(byMs) {
    this.nowMs += byMs
    for (const member of this.nodes) member.wake()
  }

  connect(from, id, host) {
    const to = this.nodes.findIndex((_, index) => hostOf(index) === host)
    const here = { owner: from, id, queue: [], isOver: false }
    const there = { owner: to, id: undefined, queue: [], isOver: false, other: here }
    here.other = there
    this.#pipes.add({ ends: [here, there] })
    if (to < 0) here.queue.push({ kind: 'closed' })
    else there.queue.push({ kind: 'accepted' })
    return here
  }
}

/** Bytes that arrive together are one input. */
function joined(events) {
  const all = []
  for (const event of events) {
    const last = all.at(-1)
    if (event.kind === 'bytes' && last?.kind === 'bytes') last.bytes += event.bytes
    else all.push({ ...event })
  }
  return all
}

class Member {
  index
  files = new DataFiles()
  node
  life = 0
  isUp = false
  log = []
  #trio
  #directives
  #ends = new Map()
  #clients = new Map()
  #nextIncoming = 1
  #saved = new Map()

  constructor(trio, index, directives) {
    this.#trio = trio
    this.index = index
    this.#directives = directives
  }

  /** `first`: directives that the file has for this node. */
  start(first = {}) {
    this.life++
    this.isUp = true
    this.first ??= first
    const settings = new Settings()
    settings.set('port', `${PORT}`)
    settings.set('protected-mode', 'no')
    settings.set('enable-debug-command', 'yes')
    for (const [name, value] of Object.entries({ ...this.#directives, ...this.first })) {
      settings.load(name, [`${value}`])
    }
    settings.markFiled()
    for (const [name, value] of this.#saved) settings.set(name, value)
    this.node = new DataNode({
      settings,
      port: this.#port(),
      rng: createRng(`node ${this.index} life ${this.life}`),
      now: this.#trio.now(),
      hasConfigFile: true,
    })
  }

  /** Killed; what it wrote to its files stays. */
  die() {
    this.isUp = false
    this.node = undefined
    for (const end of this.#ends.values()) hangUp(end)
    this.#ends.clear()
    this.#clients.clear()
  }

  wipe() {
    this.files.wipe()
    this.#saved = new Map()
  }

  wake() {
    const due = this.node?.nextWakeUpMs()
    if (due !== undefined && due <= this.#trio.nowMs) this.node.wake(this.#trio.now())
  }

  arrive(end, event) {
    if (!this.isUp) {
      if (event.kind === 'accepted') hangUp(end)
      return
    }
    if (event.kind === 'accepted') {
      end.id = this.#nextIncoming++
      this.#ends.set(end.id, end)
      this.node.accepted(this.#trio.now(), end.id, this.#endpoints(end))
      end.other.queue.push({ kind: 'connected' })
      return
    }
    if (end.isOver || this.#ends.get(end.id) !== end) return
    if (event.kind === 'connected')
      this.node.connected(this.#trio.now(), end.id, this.#endpoints(end))
    else if (event.kind === 'bytes') this.node.received(this.#trio.now(), end.id, event.bytes)
    else {
      end.isOver = true
      this.#ends.delete(end.id)
      this.node.closed(this.#trio.now(), end.id, 'closed')
    }
  }

  /** A client of this node. Replies come in `replies`, as plain values. */
  client() {
    const id = this.#nextIncoming++
    const decoder = new ReplyDecoder()
    const client = { replies: [], isOver: false, send: (argv) => this.#send(id, argv) }
    this.#clients.set(id, (bytes) => {
      if (bytes === undefined) client.isOver = true
      else decoder.push(bytes)
      for (let reply = decoder.next(); reply !== undefined; reply = decoder.next()) {
        client.replies.push(plainOf(reply))
      }
    })
    const ends = {
      remoteHost: '10.0.1.1',
      remotePort: 50_000,
      localHost: hostOf(this.index),
      localPort: PORT,
    }
    this.node.accepted(this.#trio.now(), id, ends)
    return client
  }

  /** What it answers at once, past every gate that would hold a client; undefined: nothing yet. */
  ask(...argv) {
    const client = this.client()
    client.send(argv)
    return client.replies[0]
  }

  #send(id, argv) {
    this.node.received(this.#trio.now(), id, encodeCommand(argv))
  }

  #endpoints(end) {
    const remoteHost = hostOf(end.other.owner)
    const [localPort, remotePort] = end.id > 0 ? [PORT, 40_000] : [40_000, PORT]
    return { remoteHost, remotePort, localHost: hostOf(this.index), localPort }
  }

  #port() {
    const life = this.life
    const isOurs = () => this.life === life && this.isUp
    return {
      write: (id, bytes) => {
        if (!isOurs()) return
        const end = this.#ends.get(id)
        if (end !== undefined) end.other.queue.push({ kind: 'bytes', bytes })
        else this.#clients.get(id)?.(bytes)
      },
      queuedBytes: () => 0,
      close: (id) => {
        const end = this.#ends.get(id)
        this.#ends.delete(id)
        if (end !== undefined) hangUp(end)
        this.#clients.get(id)?.(undefined)
        this.#clients.delete(id)
      },
      connect: (id, host) => this.#ends.set(id, this.#trio.connect(this.index, id, host)),
      saveSettings: (settings) => {
        this.#saved = new Map(settings)
        return undefined
      },
      askFile: (_id, request) => this.files.ask(request),
      appendNow: (path, bytes) => this.files.appendNow(path, bytes),
      ready: () => undefined,
      processFacts: () => SIMULATED_PROCESS,
      log: (level, text) => this.log.push(`${level} ${text}`),
      exit: () => isOurs() && this.die(),
    }
  }
}

function hangUp(end) {
  end.isOver = true
  end.queue.length = 0
  end.other.queue.push({ kind: 'closed' })
}
