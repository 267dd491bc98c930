/**
 * A recorder of writes: it knows which were acknowledged, by which node and when, and can say later which of
 * them are gone. A test may let it write by itself, or tell it what the application's client was told.
 */
import { utf8Text } from '../base/utf8.ts'
import type { Reply } from '../resp/reply.ts'
import type { MissingWrite, NodeMember, WriteLoad, WriteRecorder } from './api.ts'
import { checkNames, checkText, shown } from './arguments.ts'
import { alreadyStopped, type ClusterClock } from './cluster-clock.ts'
import {
  type AcknowledgedWrite,
  missingWrite,
  type StandingView,
  standingOf,
} from './loss-cause.ts'
import type { ManagedNode } from './parts.ts'
import { type NodeLogin, Wire } from './wire.ts'

export interface RecorderStart extends StandingView {
  readonly clock: ClusterClock
  /** How a client of the nodes makes itself known. */
  readonly login: Omit<NodeLogin, 'host' | 'port'>
  /** A command to a node as from a client. Rejects in words if the node cannot answer, or answers with an error. */
  readonly ask: (node: NodeMember, ...argv: readonly string[]) => Promise<Reply>
}

/** An answer that takes longer than this is not waited for: the writer connects again. */
const ANSWER_WITHIN_MS = 500
const LOOK_EVERY_MS = 2
/** Keys read at once when it is judged what is gone. */
const KEYS_AT_ONCE = 500
/** Timers count milliseconds. */
const MOST_PER_SECOND = 1_000

export class RunningRecorder implements WriteRecorder {
  readonly #start: RecorderStart
  readonly #acknowledged = new Map<string, AcknowledgedWrite>()
  /** A second load does not write the keys of the first one again: it would bring back what is lost. */
  readonly #keys = new NumberedKeys('vedette:write')
  #writer: KeyWriter | undefined
  #unanswered = 0
  #refused = 0

  constructor(start: RecorderStart) {
    this.#start = start
  }

  get acknowledged(): number {
    return this.#acknowledged.size
  }

  get unanswered(): number {
    return this.#unanswered
  }

  get refused(): number {
    return this.#refused
  }

  note(key: string, value: string, by?: NodeMember): void {
    checkText('note: the key', key)
    checkText('note: the value', value)
    const node = this.#start.group.nodes.find((one) => one === by)
    if (node === undefined && by !== undefined) {
      throw new TypeError(
        `note: the node that acknowledged it, such as cluster.master, not ${shown(by)}`,
      )
    }
    this.#acknowledged.set(key, {
      ...{ value, by: node, atMs: this.#start.clock.nowMs },
      standing: node === undefined ? 'by right' : standingOf(node, this.#start),
      startedAtMs: node?.startsMs.at(-1) ?? 0,
    })
  }

  start(writeLoad: WriteLoad = {}): void {
    checkNames('start', writeLoad, ['perSecond'])
    const { perSecond = 500 } = writeLoad
    if (!(typeof perSecond === 'number' && perSecond > 0 && perSecond <= MOST_PER_SECOND)) {
      throw new TypeError(
        `perSecond: a number above 0, up to ${MOST_PER_SECOND}, not ${shown(perSecond)}`,
      )
    }
    if (this.#start.clock.isStopped) throw alreadyStopped()
    const load = { perSecond, keys: this.#keys }
    if (this.#writer !== undefined) return this.#writer.changePace(perSecond)
    this.#writer = new KeyWriter(this.#start, load, (key, value, to) => (outcome) => {
      if (outcome === 'unanswered') this.#unanswered++
      else if (outcome === 'refused') this.#refused++
      else this.note(key, value, to)
    })
  }

  async stop(): Promise<void> {
    await this.#writer?.stop()
    this.#writer = undefined
  }

  async lost(): Promise<readonly MissingWrite[]> {
    const { group, clock } = this.#start
    if (clock.isStopped) throw alreadyStopped()
    const { master } = group
    const lost: MissingWrite[] = []
    const all = [...this.#acknowledged]
    for (let at = 0; at < all.length; at += KEYS_AT_ONCE) {
      const some = all.slice(at, at + KEYS_AT_ONCE)
      const values = await this.#valuesOf(
        some.map(([key]) => key),
        master,
      )
      some.forEach(([key, write], index) => {
        const found = values[index]
        if (found !== write.value) lost.push(missingWrite(key, write, found, master))
      })
    }
    return lost
  }

  async #valuesOf(
    keys: readonly string[],
    master: ManagedNode,
  ): Promise<readonly (string | undefined)[]> {
    const values = textsOf(await this.#start.ask(master, 'MGET', ...keys))
    const absent = keys.filter((_, index) => values[index] === undefined)
    if (absent.length > 0) await this.#checkGone(absent, master)
    return values
  }

  /** To MGET a list or a hash is as absent as a key that is gone, and nothing would be known of what was written to it. */
  async #checkGone(keys: readonly string[], master: ManagedNode): Promise<void> {
    const { ask } = this.#start
    const there = await ask(master, 'EXISTS', ...keys)
    if (there.kind === 'integer' && there.value === 0) return
    for (const key of keys) checkIsString(key, await ask(master, 'TYPE', key), master.name)
  }

  clear(): void {
    this.#acknowledged.clear()
    this.#unanswered = 0
    this.#refused = 0
  }
}

function checkIsString(key: string, type: Reply, at: string): void {
  if (type.kind !== 'simple' || type.text === 'none' || type.text === 'string') return
  const remedy = 'the recorder compares strings, so read it with your client'
  throw new TypeError(`lost: '${key}' is a ${type.text} at ${at}: ${remedy}`)
}

function textsOf(reply: Reply): (string | undefined)[] {
  if (reply.kind === 'bulks') return reply.texts.map((text) => text && utf8Text(text))
  if (reply.kind !== 'array') return []
  return reply.items.map((item) => (item.kind === 'bulk' ? utf8Text(item.bytes) : undefined))
}

/** `text` is the node's error, if it refused. */
type TellOutcome = (outcome: 'acknowledged' | 'refused' | 'unanswered', text: string) => void

/** Told of each write when it is sent; what it returns is told what became of it. */
export type TellWrite = (key: string, value: string, to: ManagedNode) => TellOutcome

export interface KeyLoad {
  readonly perSecond: number
  readonly keys: NumberedKeys
}

/** Keys that are numbered, each with its number as its value. */
export class NumberedKeys {
  readonly #prefix: string
  #number = 0

  constructor(prefix: string) {
    this.#prefix = prefix
  }

  next(): readonly [key: string, value: string] {
    const number = ++this.#number
    return [`${this.#prefix}:${number}`, `${number}`]
  }
}

/** One connection to whatever node is master; it moves when the Sentinels name another one. */
export class KeyWriter {
  readonly #start: RecorderStart
  readonly #tell: TellWrite
  #load: KeyLoad
  #isOver = false
  #cancel: () => void = () => undefined
  readonly #pending = new Set<Promise<void>>()
  #wire: { readonly wire: Wire; readonly to: ManagedNode } | undefined

  constructor(start: RecorderStart, load: KeyLoad, tell: TellWrite) {
    this.#start = start
    this.#tell = tell
    this.#load = load
    this.#next()
  }

  changePace(perSecond: number): void {
    this.#load = { ...this.#load, perSecond }
    this.#cancel()
    this.#next()
  }

  async stop(): Promise<void> {
    this.#isOver = true
    this.#cancel()
    // A clock that is moved by hand has to pass as well, or a silent master would be waited for for ever.
    while (this.#pending.size > 0) await this.#start.clock.pass(LOOK_EVERY_MS)
    this.#wire?.wire.close()
  }

  #next(): void {
    if (this.#isOver) return
    this.#cancel = this.#start.clock.after(1_000 / this.#load.perSecond, () => {
      this.#write()
      this.#next()
    })
  }

  #write(): void {
    const doing = this.#set(...this.#load.keys.next())
    this.#pending.add(doing)
    void doing.then(() => this.#pending.delete(doing))
  }

  async #set(key: string, value: string): Promise<void> {
    const { wire, to } = this.#connected()
    const answered = this.#start.clock.after(ANSWER_WITHIN_MS, () => wire.close())
    const tell = this.#tell(key, value, to)
    try {
      const reply = await wire.send('SET', key, value)
      if (reply.kind === 'error') tell('refused', reply.text)
      else tell('acknowledged', '')
    } catch {
      // The connection is over: whether the write was done is not known.
      tell('unanswered', '')
    } finally {
      answered()
    }
  }

  #connected(): { readonly wire: Wire; readonly to: ManagedNode } {
    const { group, login } = this.#start
    const to = group.master
    if (this.#wire?.to === to && this.#wire.wire.isOpen) return this.#wire
    this.#wire?.wire.close()
    this.#wire = { wire: new Wire({ host: to.host, port: to.port, ...login }), to }
    return this.#wire
  }
}
