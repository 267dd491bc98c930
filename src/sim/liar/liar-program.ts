/**
 * A liar: a stranger on the network that speaks the Sentinels' language. It is no part of the
 * cluster and has only what any process has that can reach the ports, and the password if it was
 * given: it hears the hellos, publishes hellos of its own, asks for votes, confers, attaches itself
 * to masters, and answers the processes it has lured. It does what it is told, and stops when its
 * process dies.
 */
import { unreachable } from '../../base/assert.ts'
import type { Address } from '../../base/ip.ts'
import type { Rng } from '../../base/rng.ts'
import { HELLO_CHANNEL } from '../../core/discovery/hello-format.ts'
import {
  epochOf,
  type LiarId,
  type LiarPlace,
  type Lie,
  type SpokenLie,
} from '../../history/lie.ts'
import { encodeCommand } from '../../resp/encode.ts'
import { Exchange } from '../clients/exchange.ts'
import type { Process, Program } from '../processes/process.ts'
import { LiarAnswers } from './liar-answers.ts'
import { LiarEars } from './liar-ears.ts'

const CONNECT_TIMEOUT_MS = 2_000
/** The ports at which it is taken for a master, and for a replica. */
const MASTER_PORT = 6_379
const REPLICA_PORT = 6_380
/** For places that are new each time. */
const NEW_PORT_FIRST = 30_000
/** Reserved for documentation [RFC 5737]: no host has it. */
const NOWHERE = '192.0.2.1'

export interface LiarProgramStart {
  readonly process: Process
  readonly rng: Rng
  /** The port on which the liar listens if it is told to answer. */
  readonly port: number
  /** Undefined if there is none, or the liar does not know it. */
  readonly password: string | undefined
  /** The present address of a process; undefined if no process has this name. */
  readonly addressOf: (name: string) => Address | undefined
  readonly nodes: readonly string[]
  /** The first master of a group, used until another one has been heard of. */
  readonly firstMasterOf: (group: string) => Address | undefined
}

/** A lie that is being told. */
interface Telling {
  readonly to: readonly string[]
  readonly lie: SpokenLie
  left: number
  /** Monotonic. */
  dueMs: number
}

/** A connection to a process that is lied to. */
interface Line {
  readonly exchange: Exchange
  /** What to say once it is established; undefined afterwards. */
  waiting: (readonly string[])[] | undefined
}

export class LiarProgram implements Program {
  readonly #start: LiarProgramStart
  readonly #ears: LiarEars
  readonly #answers: LiarAnswers
  readonly #id: string
  readonly #said = new Set<string>()
  readonly #lines = new Map<string, Line>()
  #tellings: Telling[] = []
  #nextPort = NEW_PORT_FIRST
  #group = ''

  constructor(start: LiarProgramStart) {
    this.#start = start
    const { process, password } = start
    this.#id = this.#newId()
    this.#ears = new LiarEars({
      ...{ shell: process, password, isOwn: (payload) => this.#said.has(payload) },
      nodes: () => start.nodes.flatMap((name) => start.addressOf(name) ?? []),
    })
    this.#answers = new LiarAnswers({
      ...{ process, id: this.#id, heard: () => this.#ears.heard(this.#group) },
      master: () => this.#ears.masterOf(this.#group),
    })
    this.#answers.showAt(start.port, 'sentinel')
    this.#answers.showAt(MASTER_PORT, 'master')
    this.#answers.showAt(REPLICA_PORT, 'replica')
  }

  /** Tells the lie now, and then as often as the lie says. */
  tell(to: readonly string[], lie: Lie): void {
    if (lie.kind === 'answer') return this.#answers.answer(lie)
    this.#tellings.push({ to, lie, left: lie.times, dueMs: this.#nowMs() })
    this.#speak()
  }

  wake(): void {
    this.#ears.wake(this.#nowMs())
    this.#speak()
  }

  nextWakeUpMs(): number {
    return Math.min(this.#ears.dueMs, ...this.#tellings.map(({ dueMs }) => dueMs))
  }

  stopRequested(): void {
    this.#start.process.exit()
  }

  #speak(): void {
    const nowMs = this.#nowMs()
    for (const telling of this.#tellings) {
      for (; telling.left > 0 && telling.dueMs <= nowMs; telling.left--) {
        this.#say(telling)
        telling.dueMs += Math.max(1, telling.lie.everyMs)
      }
    }
    this.#tellings = this.#tellings.filter(({ left }) => left > 0)
  }

  #say({ to, lie }: Telling): void {
    switch (lie.kind) {
      case 'hello':
        return this.#sayAll(to, ['PUBLISH', HELLO_CHANNEL, this.#hello(lie)])
      case 'vote':
        return this.#sayAll(to, this.#question('is-master-down-by-addr', lie))
      case 'confer':
        return this.#sayAll(to, this.#question('CONFER', lie))
      case 'replica':
        for (const name of to) this.#attach(name, this.#place(lie.at, 'replica'))
        return
      default:
        return unreachable(lie)
    }
  }

  #hello(lie: SpokenLie & { kind: 'hello' }): string {
    const { group } = lie
    this.#group = group
    const heard = this.#ears.heard(group)
    const { host, port } = this.#place(lie.at, 'sentinel')
    const id = this.#idFor(lie.id)
    if (host === this.#start.process.host.ip) this.#answers.showAt(port, 'sentinel', id)
    const master =
      lie.master === undefined ? this.#master(group) : this.#place(lie.master, 'master')
    const who = [host, port, id, epochOf(lie.epoch, heard)]
    const what = [group, master.host, master.port, epochOf(lie.configEpoch, heard)]
    const payload = [...who, ...what].join(',')
    this.#said.add(payload)
    return payload
  }

  #question(word: string, { id, epoch, group }: SpokenLie & { kind: 'vote' | 'confer' }): string[] {
    const { host, port } = this.#master(group)
    const asked = epochOf(epoch, this.#ears.heard(group))
    return ['SENTINEL', word, host, `${port}`, `${asked}`, this.#idFor(id)]
  }

  #sayAll(to: readonly string[], argv: readonly string[]): void {
    for (const name of to) {
      const line = this.#lines.get(name) ?? this.#connect(name)
      if (line?.waiting === undefined) line?.exchange.send(argv)
      else line.waiting.push(argv)
    }
  }

  #connect(name: string): Line | undefined {
    const { process, addressOf, password } = this.#start
    const address = addressOf(name)
    if (address === undefined) return undefined
    const handler = {
      connected: () => {
        for (const argv of line.waiting ?? []) line.exchange.send(argv)
        line.waiting = undefined
      },
      replied: () => {},
      lost: () => this.#lines.delete(name),
    }
    const exchange = new Exchange(process, address, CONNECT_TIMEOUT_MS, handler, password)
    const line: Line = { exchange, waiting: [] }
    this.#lines.set(name, line)
    return line
  }

  /**
   * The beginning of a replication that never continues: the connection stays, and what arrives is
   * not read.
   */
  #attach(name: string, { host, port }: Address): void {
    const { process, addressOf, password } = this.#start
    const master = addressOf(name)
    if (master === undefined) return
    const words = [
      ...(password === undefined ? [] : [['AUTH', password]]),
      ['REPLCONF', 'listening-port', `${port}`],
      ['REPLCONF', 'ip-address', host],
      ['REPLCONF', 'capa', 'eof', 'capa', 'psync2'],
      ['PSYNC', '?', '-1'],
    ]
    const sayNext = (): void => {
      const next = words.shift()
      if (next !== undefined) socket.write(encodeCommand(next))
    }
    // PSYNC is refused while an answer is still to come, so each command waits for the previous
    // answer.
    const socket = process.connect(master.host, master.port, CONNECT_TIMEOUT_MS, {
      connected: sayNext,
      received: sayNext,
      closed: () => {},
    })
  }

  #place(place: LiarPlace, face: 'sentinel' | 'master' | 'replica'): Address {
    const { process, port, addressOf } = this.#start
    const own = { sentinel: port, master: MASTER_PORT, replica: REPLICA_PORT }[face]
    if (place === 'nowhere') return { host: NOWHERE, port: own }
    if (place === 'new') {
      const next = this.#nextPort++
      this.#answers.showAt(next, face)
      return { host: process.host.ip, port: next }
    }
    const named = place === 'self' ? undefined : addressOf(place)
    return named ?? { host: process.host.ip, port: own }
  }

  #master(group: string): Address {
    const known = this.#ears.masterOf(group) ?? this.#start.firstMasterOf(group)
    return known ?? { host: NOWHERE, port: MASTER_PORT }
  }

  #idFor(id: LiarId): string {
    if (id === 'made-up') return this.#id
    if (id === 'new') return this.#newId()
    const address = this.#start.addressOf(id)
    return address === undefined ? id : (this.#ears.idAt(address) ?? this.#id)
  }

  #newId(): string {
    const digits = '0123456789abcdef'
    return Array.from({ length: 40 }, () => digits[this.#start.rng.below(16)]).join('')
  }

  #nowMs(): number {
    return this.#start.process.now().monoMs
  }
}
