/**
 * A recorder of writes: it knows which were acknowledged, by which node and when, and can say later which of
 * them are gone. A test may let it write by itself, or tell it what the application's client was told.
 */
import { utf8Text } from '../base/utf8.ts'
import type { TestGroup } from './group.ts'
import type { NodeMember } from './node-member.ts'
import { Wire } from './wire.ts'

export interface MissingWrite {
  readonly key: string
  readonly value: string
  /** What the key holds instead at the present master; undefined: nothing. */
  readonly found: string | undefined
  /** The node that acknowledged it; undefined: the test told us of it and did not say. */
  readonly by: string | undefined
  /** Milliseconds since the cluster was started. */
  readonly acknowledgedAtMs: number
  /** Why it is gone, in words. */
  readonly cause: string
}

export interface RecorderStart {
  readonly group: TestGroup
  readonly nowMs: () => number
  /** Of the nodes; empty: none. */
  readonly password: string
}

export interface WriteLoad {
  /** Writes per second; 500 by default. */
  readonly perSecond?: number | undefined
}

interface Acknowledged {
  readonly value: string
  readonly by: NodeMember | undefined
  readonly atMs: number
}

/** An answer that takes longer than this is not waited for: the writer connects again. */
const ANSWER_WITHIN_MS = 500
/** Keys read at once when it is judged what is gone. */
const KEYS_AT_ONCE = 500

export class WriteRecorder {
  readonly #start: RecorderStart
  readonly #acknowledged = new Map<string, Acknowledged>()
  #writer: Writer | undefined
  #unanswered = 0
  #refused = 0

  constructor(start: RecorderStart) {
    this.#start = start
  }

  /** Writes that a node has acknowledged. */
  get acknowledged(): number {
    return this.#acknowledged.size
  }

  /** Writes that no node has answered: they may have been done or not. */
  get unanswered(): number {
    return this.#unanswered
  }

  /** Writes that a node has refused (READONLY, NOREPLICAS, LOADING, …). */
  get refused(): number {
    return this.#refused
  }

  /** Tells the recorder of a write of the test's own, once it has been acknowledged. */
  note(key: string, value: string, by?: NodeMember): void {
    this.#acknowledged.set(key, { value, by, atMs: this.#start.nowMs() })
  }

  /** Writes numbered keys, each once, at the group's present master, until `stop`. */
  start({ perSecond = 500 }: WriteLoad = {}): void {
    this.#writer ??= new Writer(this.#start, perSecond, (key, value, outcome) => {
      if (outcome === 'unanswered') this.#unanswered++
      else if (outcome === 'refused') this.#refused++
      else this.note(key, value, outcome)
    })
  }

  /** Ends what `start` began, and waits for the answers that are on their way. */
  async stop(): Promise<void> {
    await this.#writer?.stop()
    this.#writer = undefined
  }

  /** The acknowledged writes that the present master does not have. Rejects if it cannot be asked. */
  async lost(): Promise<readonly MissingWrite[]> {
    const { group, password } = this.#start
    const { master } = group
    const wire = new Wire({ host: master.host, port: master.port, password })
    const lost: MissingWrite[] = []
    const all = [...this.#acknowledged]
    for (let at = 0; at < all.length; at += KEYS_AT_ONCE) {
      const some = all.slice(at, at + KEYS_AT_ONCE)
      const reply = await wire.send('MGET', ...some.map(([key]) => key))
      if (reply.kind === 'error') throw new Error(`MGET at ${master.name}: ${reply.text}`)
      const values = textsOf(reply)
      some.forEach(([key, write], index) => {
        const found = values[index]
        if (found !== write.value) lost.push(missingWrite(key, write, found, master))
      })
    }
    wire.close()
    return lost
  }

  /** Forgets everything. */
  clear(): void {
    this.#acknowledged.clear()
    this.#unanswered = 0
    this.#refused = 0
  }
}

function missingWrite(
  key: string,
  { value, by, atMs }: Acknowledged,
  found: string | undefined,
  master: NodeMember,
): MissingWrite {
  const cause = causeOf(by, found, master)
  return { key, value, found, by: by?.name, acknowledgedAtMs: atMs, cause }
}

function causeOf(
  by: NodeMember | undefined,
  found: string | undefined,
  master: NodeMember,
): string {
  if (found !== undefined) return `${master.name} has another value`
  if (by === undefined) return `${master.name} does not have it`
  if (by === master) return `${by.name} acknowledged it and has lost it itself`
  return `${by.name} acknowledged it, and ${master.name} took over without having received it`
}

function textsOf(reply: Awaited<ReturnType<Wire['send']>>): (string | undefined)[] {
  if (reply.kind === 'bulks') return reply.texts.map((text) => text && utf8Text(text))
  if (reply.kind !== 'array') return []
  return reply.items.map((item) => (item.kind === 'bulk' ? utf8Text(item.bytes) : undefined))
}

type Outcome = NodeMember | 'refused' | 'unanswered'

/** One connection to whatever node is master; it moves when the Sentinels name another one. */
class Writer {
  readonly #start: RecorderStart
  readonly #tell: (key: string, value: string, outcome: Outcome) => void
  readonly #timer: NodeJS.Timeout
  readonly #pending = new Set<Promise<void>>()
  #wire: { readonly wire: Wire; readonly to: NodeMember } | undefined
  #number = 0

  constructor(
    start: RecorderStart,
    perSecond: number,
    tell: (key: string, value: string, outcome: Outcome) => void,
  ) {
    this.#start = start
    this.#tell = tell
    this.#timer = setInterval(() => this.#write(), 1_000 / perSecond)
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all(this.#pending)
    this.#wire?.wire.close()
  }

  #write(): void {
    const number = ++this.#number
    const doing = this.#set(`vedette:write:${number}`, `${number}`)
    this.#pending.add(doing)
    void doing.then(() => this.#pending.delete(doing))
  }

  async #set(key: string, value: string): Promise<void> {
    const { wire, to } = this.#connected()
    const late = setTimeout(() => wire.close(), ANSWER_WITHIN_MS)
    try {
      const reply = await wire.send('SET', key, value)
      this.#tell(key, value, reply.kind === 'error' ? 'refused' : to)
    } catch {
      // The connection is over: whether the write was done is not known.
      this.#tell(key, value, 'unanswered')
    } finally {
      clearTimeout(late)
    }
  }

  #connected(): { readonly wire: Wire; readonly to: NodeMember } {
    const { group, password } = this.#start
    const to = group.master
    if (this.#wire?.to === to && this.#wire.wire.isOpen) return this.#wire
    this.#wire?.wire.close()
    this.#wire = { wire: new Wire({ host: to.host, port: to.port, password }), to }
    return this.#wire
  }
}
