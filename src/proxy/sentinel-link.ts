/**
 * One Sentinel, asked all the time: which master does it name for each group, which other Sentinels and which
 * replicas does it know? A second connection listens to its switches: each is its word as much as an answer is. A
 * Sentinel that has just switched connects to all nodes anew, and answers questions only after that.
 */
import type { Address } from '../base/ip.ts'
import { encodeCommand } from '../resp/encode.ts'
import { plainOf } from '../resp/plain.ts'
import type { Reply } from '../resp/reply.ts'
import { type Malformed, ReplyDecoder } from '../resp/reply-decoder.ts'
import type { ProxyLogLevel, WireId } from './port.ts'
import { ToldFaults } from './told-faults.ts'

/** What a link asks of its watch. */
export interface LinkHome {
  /** Until the next question: soon while a master is missing or about to change. */
  askMs(): number
  readonly groups: readonly { readonly name: string; readonly hasReadPort: boolean }[]
  readonly login: readonly string[] | undefined
  readonly usesTls: boolean
  open(link: SentinelLink, address: Address): WireId
  close(stream: WireId): void
  write(stream: WireId, bytes: string): void
  identified(link: SentinelLink, runId: string): void
  named(link: SentinelLink, group: string, master: Address | undefined, askedAtMs: number): void
  described(link: SentinelLink, group: string, question: Described, fields: FieldList): void
  /** It has announced something about a failover of this group. */
  heard(event: FailoverNews, group: string): void
  log(link: SentinelLink, level: ProxyLogLevel, text: string): void
}

/** Events that tell where a failover is. */
const FAILOVER_NEWS = [
  '+try-failover',
  '+switch-master',
  '-failover-abort-not-elected',
  '-failover-abort-no-good-slave',
  '-failover-abort-slave-timeout',
  '-failover-abort-master-timeout',
] as const
export type FailoverNews = (typeof FAILOVER_NEWS)[number]

export type Described = 'sentinels' | 'replicas'
export type FieldList = readonly ReadonlyMap<string, string>[]

interface Question {
  readonly kind: 'login' | 'myid' | 'subscribed' | 'ping' | 'master' | Described
  readonly group: string
  readonly askedAtMs: number
}

/** A Sentinel that does not answer for this long is connected to anew. */
const SILENCE_MS = 1_000
const RETRY_MS = 250
/** How often a Sentinel is asked for other Sentinels and for replicas. */
const DESCRIBE_MS = 1_000
/** A Sentinel answers in kilobytes. */
const LIMITS = { maxReplyBytes: 4 * 1024 * 1024, maxNesting: 8, maxItems: 100_000 }

interface Line {
  readonly stream: WireId
  readonly decoder: ReplyDecoder
  readonly asked: Question[]
  isUp: boolean
  heardAtMs: number
  /** Whether it has ever said anything on this connection. */
  hasSpoken: boolean
  /** When the last PING that was answered had been sent: what comes after its answer was said later. */
  saidSinceMs: number | undefined
}

export class SentinelLink {
  readonly address: Address
  readonly #home: LinkHome
  #questions: Line | undefined
  #ears: Line | undefined
  #retryAtMs = 0
  #askAtMs = 0
  #describeAtMs = 0
  readonly #faults: ToldFaults
  lastFault = 'not connected yet'

  constructor(home: LinkHome, address: Address) {
    this.#home = home
    this.address = address
    this.#faults = new ToldFaults((level, text) => home.log(this, level, text))
  }

  get isUp(): boolean {
    return this.#questions?.isUp === true
  }

  owns(stream: WireId): boolean {
    return stream === this.#questions?.stream || stream === this.#ears?.stream
  }

  wake(nowMs: number): void {
    for (const line of [this.#questions, this.#ears]) {
      const isLate = line !== undefined && (line.asked.length > 0 || !line.isUp)
      if (isLate && nowMs - line.heardAtMs >= SILENCE_MS) this.#lost(line, nowMs, 'no answer')
    }
    if (nowMs >= this.#retryAtMs) {
      this.#questions ??= this.#open(nowMs)
      this.#ears ??= this.#open(nowMs)
    }
    if (nowMs >= this.#askAtMs) this.ask(nowMs)
  }

  nextMs(): number {
    return this.isUp ? this.#askAtMs : Math.max(this.#askAtMs, this.#retryAtMs)
  }

  /** Asks for the masters now, unless the last question is still open. */
  ask(nowMs: number): void {
    this.#askAtMs = nowMs + this.#home.askMs()
    this.#pingEars(nowMs)
    const line = this.#questions
    if (line?.isUp !== true || line.asked.some(({ kind }) => kind === 'master')) return
    const isFull = nowMs >= this.#describeAtMs
    if (isFull) this.#describeAtMs = nowMs + DESCRIBE_MS
    for (const { name, hasReadPort } of this.#home.groups) {
      this.#ask(line, nowMs, 'master', name, ['GET-MASTER-ADDR-BY-NAME', name])
      if (isFull) this.#ask(line, nowMs, 'sentinels', name, ['SENTINELS', name])
      if (isFull && hasReadPort) this.#ask(line, nowMs, 'replicas', name, ['REPLICAS', name])
    }
  }

  #pingEars(nowMs: number): void {
    const ears = this.#ears
    if (ears?.isUp !== true || ears.asked.length > 0) return
    this.#send(ears, { kind: 'ping', group: '', askedAtMs: nowMs }, ['PING'])
  }

  connected(stream: WireId, nowMs: number): void {
    const line = this.#lineOf(stream)
    if (line === undefined) return
    line.isUp = true
    line.heardAtMs = nowMs
    const { login } = this.#home
    if (login !== undefined) this.#send(line, about('login'), login)
    if (line === this.#ears) {
      this.#send(line, about('subscribed'), ['SUBSCRIBE', ...FAILOVER_NEWS])
      return
    }
    this.#send(line, about('myid'), ['SENTINEL', 'MYID'])
    this.#describeAtMs = nowMs
    this.ask(nowMs)
  }

  received(stream: WireId, nowMs: number, bytes: string): void {
    const line = this.#lineOf(stream)
    if (line === undefined) return
    line.heardAtMs = nowMs
    line.hasSpoken = true
    line.decoder.push(bytes)
    while (this.#lineOf(stream) === line) {
      const reply = line.decoder.next()
      if (reply === undefined) return
      if (reply.kind === 'malformed') return this.#lost(line, nowMs, reply.text)
      this.#heard(line, reply)
    }
  }

  closed(stream: WireId, nowMs: number, reason: string): void {
    const line = this.#lineOf(stream)
    if (line === undefined) return
    const isMute = line.isUp && !line.hasSpoken && !this.#home.usesTls
    this.#lost(line, nowMs, isMute ? `${reason}; ${MUTE}` : reason)
  }

  end(): void {
    for (const line of [this.#questions, this.#ears]) {
      if (line !== undefined) this.#home.close(line.stream)
    }
    this.#questions = undefined
    this.#ears = undefined
  }

  #open(nowMs: number): Line {
    const stream = this.#home.open(this, this.address)
    const decoder = new ReplyDecoder(LIMITS)
    return {
      ...{ stream, decoder, asked: [], isUp: false, heardAtMs: nowMs },
      ...{ hasSpoken: false, saidSinceMs: undefined },
    }
  }

  #lineOf(stream: WireId): Line | undefined {
    return [this.#questions, this.#ears].find((line) => line?.stream === stream)
  }

  #lost(line: Line, nowMs: number, reason: string): void {
    this.#home.close(line.stream)
    if (line === this.#questions) this.#questions = undefined
    else this.#ears = undefined
    this.#retryAtMs = nowMs + RETRY_MS
    this.lastFault = reason
    this.#faults.wrong('', reason)
  }

  #ask(
    line: Line,
    nowMs: number,
    kind: 'master' | Described,
    group: string,
    words: readonly string[],
  ): void {
    this.#send(line, { kind, group, askedAtMs: nowMs }, ['SENTINEL', ...words])
  }

  #send(line: Line, question: Question, argv: readonly string[]): void {
    line.asked.push(question)
    this.#home.write(line.stream, encodeCommand(argv))
  }

  #heard(line: Line, reply: Exclude<Reply, Malformed>): void {
    const words = plainOf(reply)
    const kind = Array.isArray(words) ? words[0] : undefined
    if (kind === 'message') return this.#event(line, words as readonly unknown[])
    if (kind === 'subscribe' && line.asked[0]?.kind !== 'subscribed') return
    const question = line.asked.shift()
    if (question === undefined) return
    if (reply.kind === 'error') this.#refused(question, reply.text)
    this.#answered(line, question, reply)
  }

  #refused({ kind, group }: Question, text: string): void {
    const hasLogin = this.#home.login !== undefined
    const isUnnamed = text.startsWith('NOAUTH')
    // Once the login was refused, everything is: the first line says why.
    if (isUnnamed && hasLogin) return
    const hint = isUnnamed ? NO_PASSWORD : kind === 'login' ? WRONG_PASSWORD : ''
    this.lastFault = hint === '' ? text : `${text}; ${hint}`
    // Of a group that it does not know, the question for its master tells.
    if (kind !== 'master' && /^ERR No such master/.test(text)) return
    this.#faults.wrong(isUnnamed ? '' : group, this.lastFault)
  }

  #answered(line: Line, { kind, group, askedAtMs }: Question, reply: Reply): void {
    switch (kind) {
      case 'ping':
        if (reply.kind !== 'error') line.saidSinceMs = askedAtMs
        return
      case 'myid':
        if (reply.kind === 'bulk') {
          this.#faults.well('', 'it answers')
          this.#home.identified(this, reply.bytes)
        }
        return
      case 'master':
        if (reply.kind === 'nullArray') this.#faults.wrong(group, `it knows no group ${group}`)
        else if (reply.kind !== 'error') this.#faults.well(group, `it knows the group ${group}`)
        return this.#home.named(this, group, addressIn(reply), askedAtMs)
      case 'sentinels':
      case 'replicas':
        return this.#home.described(this, group, kind, fieldsIn(reply))
      case 'login':
      case 'subscribed':
    }
  }

  /** `+switch-master` begins with the group, the others with `master` and the group. */
  #event(line: Line, [, channel, payload]: readonly unknown[]): void {
    const event = FAILOVER_NEWS.find((name) => name === channel)
    const [first = '', second = '', , host = '', port] = String(payload).split(' ')
    if (event === undefined) return
    if (event !== '+switch-master') return this.#home.heard(event, second)
    const master = addressOf(host, port)
    const { saidSinceMs } = line
    if (master !== undefined && saidSinceMs !== undefined) {
      this.#home.named(this, first, master, saidSinceMs)
    }
    this.#home.heard(event, first)
  }
}

/** A port that speaks only TLS takes the first command for a wrong handshake, and hangs up. */
const MUTE =
  'it has not answered anything: if it speaks only TLS, let the proxy do so, too (tls: {replication: yes} in its file, or --tls)'
const NO_PASSWORD =
  'this Sentinel wants a password: set user and password of the proxy (proxy: {user, password} in its file, or --user and --pass)'
const WRONG_PASSWORD =
  'it refuses the login of this proxy: make user and password of the proxy (proxy: {user, password} in its file, or --user and --pass) those of the Sentinel'

function about(kind: Question['kind']): Question {
  return { kind, group: '', askedAtMs: 0 }
}

function addressIn(reply: Reply): Address | undefined {
  const words = plainOf(reply)
  if (!Array.isArray(words) || words.length !== 2) return undefined
  return addressOf(String(words[0]), words[1])
}

function addressOf(host: string, text: unknown): Address | undefined {
  const port = Number(text)
  return Number.isInteger(port) && port > 0 && port <= 65_535 ? { host, port } : undefined
}

function fieldsIn(reply: Reply): FieldList {
  const rows = plainOf(reply)
  if (!Array.isArray(rows)) return []
  return rows.map((row) => {
    const words: readonly unknown[] = Array.isArray(row) ? row : []
    const pairs: [string, string][] = []
    for (let at = 0; at + 1 < words.length; at += 2) {
      pairs.push([String(words[at]), String(words[at + 1])])
    }
    return new Map(pairs)
  })
}
