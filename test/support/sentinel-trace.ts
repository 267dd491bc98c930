/**
 * Drives one Sentinel machine through a script and writes down what it does. It is surrounded by a
 * tiny world: instances that answer one millisecond after they are asked, until the script silences
 * them. Routine traffic (PING, INFO, hellos, links) is not written down; events, saves, questions to
 * peers, SLAVEOF and answers to clients are.
 */
import type { Moment } from '../../src/base/clock.ts'
import { Heap } from '../../src/base/heap.ts'
import { createRng } from '../../src/base/rng.ts'
import {
  DEFAULT_GROUP,
  DEFAULT_SENTINEL,
  type Detection,
  type SentinelConfig,
} from '../../src/core/config.ts'
import { formatHello } from '../../src/core/discovery/hello-format.ts'
import type { Effect } from '../../src/core/effect.ts'
import type { Event } from '../../src/core/event.ts'
import type { SavedState } from '../../src/core/persistence/saved.ts'
import type { Purpose } from '../../src/core/purpose.ts'
import { startSentinel } from '../../src/core/sentinel.ts'
import type { State } from '../../src/core/state.ts'
import { nextWakeUpMs, step } from '../../src/core/step.ts'
import { encodeCommand, encodeReply } from '../../src/resp/encode.ts'
import { array, bulk, error, integer, OK, type Reply, simple } from '../../src/resp/reply.ts'
import { answerHandover, type HandoverMood, handoverLines } from './trace-handover.ts'

const MASTER = '10.0.0.1:6379'
/** What is written down of a SLAVEOF transaction. */
const ROLE_CHANGES = ['SLAVEOF', 'FAILOVER']
const START_WALL_MS = 1_700_000_000_000

interface Server {
  readonly address: string
  runId: string
  /** Data nodes only: the master it follows; undefined for a master and for Sentinels. */
  master: string | undefined
  /** Data nodes only: as a master it continues a history that was another's before. */
  wasReplica: boolean
  isSentinel: boolean
  mood: 'answers' | 'refuses' | 'hangs'
  offset: number
  priority: number
  /** Commands of the stream that it could not carry out. */
  unapplied: number
  linkUp: boolean
  /**
   * Data nodes only: how FAILOVER goes; undefined if the command is unknown. And to which node it is under way.
   */
  handover: HandoverMood | undefined
  handoverTo: string | undefined
  /** Sentinels only: whether it sees the master down, and its vote when asked. */
  seesDown: boolean
  votesFor: 'candidate' | 'nobody' | string
  /**
   * Sentinels only: the answer when we confer: refused, granted, epoch; undefined: an error, as from C
   * Sentinel.
   */
  counsel: readonly [number, number, number] | undefined
  /** What is in the socket buffers of a stopped process. */
  readonly held: (() => void)[]
}

interface Pending {
  readonly atMs: number
  readonly sequence: number
  readonly event: Event
}

export class SentinelTrace {
  readonly #servers = new Map<string, Server>()
  readonly #links = new Map<number, { server: Server; pubsub: boolean }>()
  readonly #pending = new Heap<Pending>((a, b) =>
    a.atMs === b.atMs ? a.sequence < b.sequence : a.atMs < b.atMs,
  )
  readonly #lines: string[] = []
  #sequence = 0
  #nowMs = 0
  #wallOffsetMs = START_WALL_MS
  #state: State | undefined
  #savesWork = true
  #saved: SavedState | undefined
  #config: SentinelConfig | undefined
  #showsLinks = false
  #showsHellos = false
  #clients = 0

  /** Runs one line of the script. */
  run(line: string): void {
    const [verb = '', ...words] = line.split(' ')
    const options = new Map(words.filter((w) => w.includes('=')).map((w) => splitOnce(w)))
    const plain = words.filter((word) => !word.includes('='))
    const action = this.#actions[verb]
    if (action === undefined) throw new Error(`unknown line: ${line}`)
    action(plain, options, line)
  }

  /** Runs lines, and takes what has happened. */
  play(...lines: readonly string[]): readonly string[] {
    for (const line of lines) this.run(line)
    return this.take()
  }

  /** What has happened since the last call. */
  take(): string[] {
    return this.#lines.splice(0)
  }

  readonly #actions: Record<
    string,
    (words: string[], options: Map<string, string>, line: string) => void
  > = {
    group: (_, options) => this.#start(options),
    run: ([ms]) => this.#advance(Number(ms)),
    kill: ([name]) => this.#kill(name ?? ''),
    hang: ([name]) => this.#set(name, { mood: 'hangs' }),
    revive: ([name]) => {
      this.#set(name, { mood: 'answers' })
      for (const answer of this.#server(name).held.splice(0)) answer()
    },
    follows: ([name, whom]) => this.#set(name, { master: addressOf(whom), wasReplica: true }),
    /** It restarts under a new run id, without losing its connections: nothing else may change. */
    reboots: ([name]) => this.#set(name, { runId: 'e'.repeat(40) }),
    /** The Sentinel itself dies and is started again from its last saved state. */
    restart: () => this.#restart(),
    /** From here on connections are written down, too. */
    links: () => {
      this.#showsLinks = true
    },
    standalone: ([name]) => this.#set(name, { master: undefined }),
    replica: ([name], options) =>
      this.#set(name, {
        offset: Number(options.get('offset') ?? this.#server(name).offset),
        priority: Number(options.get('priority') ?? this.#server(name).priority),
        unapplied: Number(options.get('unapplied') ?? this.#server(name).unapplied),
      }),
    /** How FAILOVER goes on all data nodes from now on. */
    handover: ([mood]) => {
      for (const server of this.#servers.values()) server.handover = mood as HandoverMood
    },
    /** A FAILOVER under way completes, or is given up. */
    completes: ([name]) => this.#completeHandover(this.#server(name)),
    /** Another client tells a node to hand over. */
    failover: ([name, to]) => this.#set(name, { handoverTo: addressOf(to) }),
    gives: ([name]) => this.#set(name, { handoverTo: undefined }),
    link: ([name, way]) => this.#set(name, { linkUp: way === 'up' }),
    /** From here on hellos to data nodes are written down, too. */
    hellos: () => {
      this.#showsHellos = true
    },
    sees: ([name, what]) => this.#set(name, { seesDown: what === 'down' }),
    confers: ([name, ...words], options) => {
      const says = (word: string) => (words.includes(word) ? 1 : 0)
      const epoch = Number(options.get('epoch') ?? 0)
      this.#set(name, { counsel: [says('refused'), says('granted'), epoch] })
    },
    votes: ([name, whom]) => this.#set(name, { votesFor: runIdOf(whom) }),
    stall: ([ms]) => {
      this.#nowMs += Number(ms)
      this.#advance(0)
    },
    jump: ([ms]) => {
      this.#wallOffsetMs += Number(ms)
    },
    saves: ([word]) => {
      this.#savesWork = word === 'work'
    },
    hello: ([name], options) => this.#hello(name ?? '', options),
    ask: ([name], options) => this.#ask(name ?? '', options),
    client: (_, __, line) => this.#client(line.slice('client '.length).split(' '), ''),
  }

  #start(options: Map<string, string>): void {
    const count = (name: string) => Number(options.get(name) ?? 2)
    this.#add(MASTER, undefined)
    for (let i = 0; i < count('replicas'); i++) this.#add(addressOf(`replica${i + 1}`), MASTER)
    for (let i = 0; i < count('peers'); i++) this.#add(addressOf(`peer${i + 1}`), undefined)
    const config = {
      ...DEFAULT_SENTINEL,
      groups: [
        {
          ...DEFAULT_GROUP,
          name: 'g',
          host: '10.0.0.1',
          port: 6379,
          quorum: count('quorum'),
          downAfterMs: Number(options.get('down-after') ?? 1000),
          failoverTimeoutMs: Number(options.get('failover-timeout') ?? 60_000),
          parallelSyncs: Number(options.get('parallel-syncs') ?? 1),
          notificationScript: options.get('notify') ?? '',
          clientReconfigScript: options.get('reconfig') ?? '',
          detection: (options.get('detection') ?? 'evidence') as Detection,
        },
      ],
    }
    const me = (options.get('me') ?? 'a').repeat(40)
    this.#config = config
    this.#saved = {
      myid: me,
      currentEpoch: 0,
      groups: [],
      removed: [],
      settings: undefined,
      users: undefined,
    }
    this.#restart()
    this.#advance(100)
    for (let i = 0; i < count('peers'); i++) this.#hello(`peer${i + 1}`, new Map())
    this.#advance(100)
  }

  #restart(): void {
    if (this.#config === undefined) throw new Error('the script starts with `group`')
    this.#links.clear()
    const rng = createRng('trace')
    const start = { config: this.#config, saved: this.#saved, rng, now: this.#now() }
    const { state, effects } = startSentinel(start)
    this.#state = state
    this.#perform(effects)
  }

  #add(address: string, master: string | undefined): void {
    this.#servers.set(address, {
      address,
      runId: runIdOf(nameOf(address)),
      master,
      wasReplica: master !== undefined,
      isSentinel: address.startsWith('10.1.'),
      mood: 'answers',
      offset: 100,
      priority: 100,
      unapplied: 0,
      linkUp: true,
      handover: undefined,
      handoverTo: undefined,
      seesDown: false,
      votesFor: 'candidate',
      counsel: undefined,
      held: [],
    })
  }

  #server(name: string | undefined): Server {
    const server = this.#servers.get(addressOf(name))
    if (server === undefined) throw new Error(`no server ${name}`)
    return server
  }

  #set(name: string | undefined, change: Partial<Server>): void {
    Object.assign(this.#server(name), change)
  }

  #kill(name: string): void {
    const server = this.#server(name)
    server.mood = 'refuses'
    for (const [link, { server: other }] of this.#links) {
      if (other !== server) continue
      this.#links.delete(link)
      this.#later({ kind: 'linkLost', link, reason: 'reset', isRefused: false })
    }
  }

  #hello(name: string, options: Map<string, string>): void {
    const peer = this.#server(name)
    const [host, port] = split(peer.address)
    const [masterHost, masterPort] = split(addressOf(options.get('master') ?? 'master'))
    const payload = formatHello({
      host,
      port,
      runId: peer.runId,
      currentEpoch: Number(options.get('epoch') ?? 0),
      group: options.get('group') ?? 'g',
      masterHost,
      masterPort,
      configEpoch: Number(options.get('config-epoch') ?? 0),
    })
    this.#client(['PUBLISH', '__sentinel__:hello', options.get('raw') ?? payload], '', true)
  }

  #ask(name: string, options: Map<string, string>): void {
    const peer = this.#server(name)
    const [host, port] = split(addressOf(options.get('master') ?? 'master'))
    const candidate = options.has('for') ? runIdOf(options.get('for')) : '*'
    const epoch = options.get('epoch') ?? '0'
    const argv = ['SENTINEL', 'is-master-down-by-addr', host, String(port), epoch, candidate]
    this.#client(argv, `sentinel-${peer.runId.slice(0, 8)}-cmd`)
  }

  /** One command on a connection of its own; `quiet` hides the reply. */
  #client(argv: string[], name: string, quiet = false): void {
    const client = ++this.#clients
    const address = `10.9.0.${client}:50000`
    this.#feed({ kind: 'clientOpened', client, address, localAddress: '10.1.0.9:26379' })
    const setName = name === '' ? '' : encodeCommand(['CLIENT', 'SETNAME', name])
    const from = this.#lines.length
    this.#feed({ kind: 'received', client, bytes: setName + encodeCommand(argv) })
    const replies = this.#lines.splice(from)
    const shown = replies.filter(
      (line) => !(quiet || name !== '') || !/ reply (:1|\+OK)$/.test(line),
    )
    this.#lines.push(...shown)
    this.#feed({ kind: 'clientClosed', client })
  }

  #advance(ms: number): void {
    const endMs = this.#nowMs + ms
    for (let guard = 0; guard < 100_000; guard++) {
      const wakeMs = this.#state === undefined ? undefined : nextWakeUpMs(this.#state)
      const nextMs = Math.min(wakeMs ?? Infinity, this.#pending.peek()?.atMs ?? Infinity)
      if (nextMs > endMs) break
      this.#nowMs = Math.max(this.#nowMs, nextMs)
      if (this.#pending.peek()?.atMs === nextMs) this.#feed(this.#pending.pop()?.event as Event)
      else this.#feed({ kind: 'wake' })
    }
    this.#nowMs = Math.max(this.#nowMs, endMs)
  }

  #feed(event: Event): void {
    if (this.#state === undefined) throw new Error('the script starts with `group`')
    this.#perform(step(this.#state, this.#now(), event))
  }

  /** The driver's contract: in order, and nothing after a save that failed. */
  #perform(effects: readonly Effect[]): void {
    for (const [at, effect] of effects.entries()) {
      if (effect.kind === 'save' && !this.#savesWork) {
        this.#write('save FAILED')
        this.#feed({ kind: 'saveFailed', reason: 'disk full', dropped: effects.slice(at + 1) })
        return
      }
      this.#performOne(effect)
      if (effect.kind === 'save') this.#later({ kind: 'saved' })
    }
  }

  #performOne(effect: Effect): void {
    if (effect.kind === 'openLink') this.#open(effect)
    else if (effect.kind === 'closeLink') this.#close(effect.link)
    else if (effect.kind === 'send') this.#send(effect.link, effect.purpose, effect.argv)
    else if (effect.kind === 'save') this.#save(effect.state())
    else if (effect.kind === 'respond') this.#write(`reply ${wire(effect.reply)}`)
    else if (effect.kind === 'runScript') this.#runScript(effect.job, effect.argv)
    else if (effect.kind === 'log' && effect.level !== 'debug') this.#write(named(effect.text))
  }

  /** Every script succeeds, and at once. */
  #runScript(job: number, argv: readonly string[]): void {
    this.#write(named(`run ${argv.join(' ')}`))
    this.#later({ kind: 'scriptStarted', job, pid: 100 + job })
    this.#later({ kind: 'scriptEnded', job, status: 0, signal: 0 })
  }

  #save(state: SavedState): void {
    this.#saved = state
    this.#write('save')
  }

  #close(link: number): void {
    const closed = this.#links.get(link)
    this.#links.delete(link)
    if (this.#showsLinks && closed) this.#write(named(`close ${closed.server.address}`))
  }

  #open(effect: Effect & { kind: 'openLink' }): void {
    const server = this.#servers.get(`${effect.host}:${effect.port}`)
    const { link } = effect
    if (server === undefined || server.mood === 'refuses') {
      this.#later({ kind: 'linkLost', link, reason: 'refused', isRefused: true })
      return
    }
    this.#links.set(link, { server, pubsub: effect.channel === 'pubsub' })
    if (this.#showsLinks) this.#write(named(`open ${effect.channel} ${server.address}`))
    this.#later({ kind: 'linkUp', link, localHost: '10.1.0.9' })
  }

  #send(link: number, purpose: Purpose, argv: readonly string[]): void {
    const server = this.#links.get(link)?.server
    if (server === undefined) return
    if (server.mood === 'answers') this.#deliver(server, link, purpose, argv)
    else server.held.push(() => this.#deliver(server, link, purpose, argv))
  }

  /** A command that reached a server is executed even if its connection is gone by then. */
  #deliver(server: Server, link: number, purpose: Purpose, argv: readonly string[]): void {
    if (
      purpose.kind === 'ask' ||
      (purpose.kind === 'slaveof' && ROLE_CHANGES.includes(argv[0] ?? ''))
    ) {
      const epoch = purpose.kind === 'ask' && purpose.epoch > 0 ? ` vote@${purpose.epoch}` : ''
      const what = purpose.kind === 'ask' ? `ask${epoch}` : argv.join(' ')
      this.#write(named(`to ${server.address}: ${what}`))
    }
    const isHandover = purpose.kind === 'handover' && argv[0] !== 'MULTI' && argv[0] !== 'EXEC'
    if (isHandover) this.#write(named(`to ${server.address}: ${argv.join(' ')}`))
    if (this.#showsHellos && purpose.kind === 'hello' && !server.isSentinel) {
      this.#write(named(`to ${server.address}: hello`))
    }
    if (purpose.kind === 'confer' && server.counsel) {
      this.#write(named(`to ${server.address}: confer ${argv[4]} ${argv[5]}`))
    }
    const reply = this.#answer(server, purpose, argv)
    if (this.#links.has(link)) this.#later({ kind: 'reply', link, purpose, reply })
  }

  #answer(server: Server, purpose: Purpose, argv: readonly string[]): Reply {
    if (purpose.kind === 'ping') return simple('PONG')
    if (purpose.kind === 'info') return bulk(this.#info(server))
    if (purpose.kind === 'hello') return integer(1)
    if (purpose.kind === 'ask') return this.#opinion(server, argv)
    if (purpose.kind === 'whoAreYou') return bulk(server.runId)
    if (purpose.kind === 'confer') {
      return server.counsel ? array(server.counsel.map(integer)) : error('ERR Unknown subcommand')
    }
    if (purpose.kind === 'handover') {
      return answerHandover(server, argv, (one) => this.#completeHandover(one))
    }
    if (argv[0] === 'FAILOVER') server.handoverTo = undefined
    if (argv[0] === 'SLAVEOF') {
      server.master = argv[1] === 'NO' ? undefined : `${argv[1]}:${argv[2]}`
      server.wasReplica ||= server.master !== undefined
    }
    return OK
  }

  #completeHandover(server: Server): void {
    if (server.handoverTo === undefined) return
    this.#server(server.handoverTo).master = undefined
    server.master = server.handoverTo
    server.wasReplica = true
    server.handoverTo = undefined
  }

  #opinion(server: Server, argv: readonly string[]): Reply {
    const candidate = argv[5] ?? '*'
    const voted = server.votesFor === 'candidate' ? candidate : server.votesFor
    const leader = candidate === '*' || voted === 'nobody' ? '*' : voted
    const epoch = leader === '*' ? 0 : Number(argv[4])
    return array([integer(server.seesDown ? 1 : 0), bulk(leader), integer(epoch)])
  }

  #info(server: Server): string {
    const replicas = [...this.#servers.values()].filter((one) => one.master === server.address)
    const master = server.master === undefined ? undefined : split(server.master)
    const role = master
      ? [
          'role:slave',
          `master_host:${master[0]}`,
          `master_port:${master[1]}`,
          `master_link_status:${server.linkUp ? 'up' : 'down'}`,
          `slave_priority:${server.priority}`,
          `slave_repl_offset:${server.offset}`,
          ...(server.unapplied === 0 ? [] : [`vedette_unapplied_commands:${server.unapplied}`]),
        ]
      : ['role:master', ...historyLines(server), ...replicas.map((one, i) => slaveLine(i, one))]
    return [`run_id:${server.runId}`, ...role, ...handoverLines(server), ''].join('\r\n')
  }

  #later(event: Event): void {
    this.#pending.push({ atMs: this.#nowMs + 1, sequence: this.#sequence++, event })
  }

  #now(): Moment {
    return { monoMs: this.#nowMs, wallMs: this.#nowMs + this.#wallOffsetMs }
  }

  #write(text: string): void {
    this.#lines.push(`${this.#nowMs} ${text}`)
  }
}

/** A promoted replica names the history it comes from; a master that was never a replica has none. */
function historyLines({ wasReplica, address }: Server): readonly string[] {
  const before = wasReplica ? 'history of whom it followed' : '0'.repeat(40)
  const own = wasReplica ? 'later history' : 'history'
  return [`master_replid:${own} of ${address}`, `master_replid2:${before}`]
}

function slaveLine(index: number, server: Server): string {
  const [host, port] = split(server.address)
  return `slave${index}:ip=${host},port=${port},state=online,offset=${server.offset},lag=0`
}

/** `master`, `replica1`, `peer2` or an address. */
function addressOf(name: string | undefined): string {
  if (name === 'master') return MASTER
  const [, kind, digit] = /^(replica|peer)(\d)$/.exec(name ?? '') ?? []
  if (kind === 'replica') return `10.0.0.${Number(digit) + 1}:6379`
  return kind === 'peer' ? `10.1.0.${digit}:26379` : (name ?? '')
}

function nameOf(address: string): string {
  const [host] = split(address)
  const digit = Number(host.split('.')[3])
  if (host.startsWith('10.1.')) return `peer${digit}`
  return digit === 1 ? 'master' : `replica${digit - 1}`
}

/** Peers are b…b, c…c and so on, data nodes 1…1, 2…2: readable run ids. */
function runIdOf(name: string | undefined): string {
  if (name === 'me') return 'a'.repeat(40)
  const [, kind, digit] = /^(replica|peer)(\d)$/.exec(name ?? '') ?? []
  if (kind === 'peer') return 'abcdef'.charAt(Number(digit)).repeat(40)
  if (kind === 'replica') return String(Number(digit) + 1).repeat(40)
  return name === 'master' ? '1'.repeat(40) : (name ?? '')
}

/** Writes run ids and addresses the way the script does. */
function named(text: string): string {
  return text
    .replace(/([0-9a-f])\1{39}/g, (_, letter: string) => (letter === 'a' ? 'me' : `<${letter}>`))
    .replace(/10\.(\d)\.0\.(\d)[: ](6379|26379)/g, (address) => nameOf(address.replace(' ', ':')))
}

function wire(reply: Reply): string {
  return named(encodeReply(reply, 2).trimEnd().replaceAll('\r\n', ' '))
}

function split(address: string): [string, number] {
  const [host = '', port = '0'] = address.split(':')
  return [host, Number(port)]
}

function splitOnce(word: string): [string, string] {
  const at = word.indexOf('=')
  return [word.slice(0, at), word.slice(at + 1)]
}
