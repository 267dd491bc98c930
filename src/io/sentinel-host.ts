/**
 * A Sentinel on real sockets: the machine, its driver, and the sockets, files and timers behind the
 * driver's effects.
 */
import type { Socket } from 'node:net'
import type { Moment } from '../base/clock.ts'
import { hostAndPort } from '../base/ip.ts'
import type { SentinelRecorder } from '../blackbox/recorder.ts'
import type { AnnouncedEvent } from '../core/announced-event.ts'
import type { SentinelConfig } from '../core/config.ts'
import type { Effect } from '../core/effect.ts'
import type { Event } from '../core/event.ts'
import type { ClientId } from '../core/ids.ts'
import type { LogLevel } from '../core/log-level.ts'
import type { SavedState } from '../core/persistence/saved.ts'
import type { SentinelStart } from '../core/sentinel.ts'
import { startSentinel } from '../core/sentinel.ts'
import type { State } from '../core/state.ts'
import { nextWakeUpMs, step } from '../core/step.ts'
import { encodeReply } from '../resp/encode.ts'
import type { Reply } from '../resp/reply.ts'
import { Driver, type DriverPorts, type DriverWatch, type SentinelMachine } from './driver.ts'
import { answerLater, type KeptRecord } from './external-queries.ts'
import type { AclFile } from './files/acl-file.ts'
import { kernelSurroundings, type Surroundings } from './host-environment.ts'
import { LineBudget } from './log/line-budget.ts'
import type { Logger } from './log/logger.ts'
import { plainHost } from './network/address.ts'
import { Connections, DOES_NOT_READ, READ_TOO_LITTLE } from './network/connections.ts'
import { Links } from './network/links.ts'
import { type EventListener, OperatorClients } from './operator-clients.ts'
import { Alarm } from './process/alarm.ts'
import { Scripts } from './process/scripts.ts'
import type { Tls } from './tls/tls.ts'

export interface SentinelHostOptions {
  readonly start: SentinelStart
  /** Resolves once the state is safely on disk. */
  readonly save: (state: SavedState) => Promise<void>
  readonly logger: Logger
  /** Called before the first connection is closed: a client that connects again must not reach a Sentinel that ends. */
  readonly onEnding?: () => void
  /** Called when everything has been written and the process may end. */
  readonly onExit: (status: number) => void
  /** [bind-source-addr] The address that links are opened from. */
  readonly localAddress?: string | undefined
  /** [client-output-buffer-limit pubsub] A client with more unsent output than this is disconnected. */
  readonly outputLimitBytes?: number | undefined
  /** The file that `start.aclFile` was read from. */
  readonly aclFile?: AclFile | undefined
  /** Undefined if links are plain connections. */
  readonly tls?: Tls | undefined
  /** Undefined for the kernel's own, with links from `localAddress`. */
  readonly surroundings?: Surroundings | undefined
  readonly watch?: SentinelWatch | undefined
  /** Records what the machine is told and does; undefined: nothing is recorded. */
  readonly recorder?: SentinelRecorder | undefined
  /** What it has recorded, for clients that ask for it. */
  readonly record?: KeptRecord | undefined
  /** Told of every event in the log, whatever its level; must return at once. */
  readonly onEvent?: ((event: AnnouncedEvent) => void) | undefined
  /** Told by how many milliseconds each wake-up is late. */
  readonly noteLateness?: ((lateMs: number) => void) | undefined
}

/** Observes the host: called with the machine's state at the moment an effect is performed. */
export interface SentinelWatch {
  done(state: State, effect: Effect): void
  stepped(state: State): void
}

/** Redis' default limit for a subscriber that does not keep up. */
const MAX_QUEUED_BYTES = 32 * 1024 * 1024
/** How many such subscribers there may be. */
const SLOW_CLIENTS = 4
/**
 * While a save hangs, strangers may come and go, and each leaves two events. Beyond this many, we turn them
 * away.
 */
const MAX_BACKLOG = 20_000
const LINES_PER_MINUTE = 10
const MINUTE_MS = 60_000

export class SentinelHost {
  readonly #options: SentinelHostOptions
  readonly #surroundings: Surroundings
  readonly #driver: Driver
  readonly #alarm: Alarm
  readonly #links: Links
  readonly #clients: Connections
  readonly #scripts: Scripts
  readonly #state: State
  /** The clients of the HTTP port. */
  readonly #operators: OperatorClients
  readonly #budget = new LineBudget(LINES_PER_MINUTE, MINUTE_MS)
  #lastClientId = 0
  #hear: (event: AnnouncedEvent) => void = () => undefined

  constructor(options: SentinelHostOptions) {
    this.#options = options
    this.#surroundings = options.surroundings ?? kernelSurroundings(() => options.localAddress)
    const { clock, dial } = this.#surroundings
    const feed = (event: Event) => this.#feed(event)
    this.#alarm = new Alarm(() => feed({ kind: 'wake' }), clock, options.noteLateness)
    this.#links = new Links(feed, options.localAddress, dial, options.tls)
    const maxQueuedBytes = options.outputLimitBytes ?? MAX_QUEUED_BYTES
    this.#clients = new Connections(
      {
        received: (client, bytes) => feed({ kind: 'received', client, bytes }),
        closed: (client, reason) => this.#clientClosed(client, reason),
      },
      { maxQueuedBytes, maxTotalBytes: SLOW_CLIENTS * maxQueuedBytes },
    )
    this.#scripts = new Scripts(feed)
    this.#operators = new OperatorClients(feed, () => ++this.#lastClientId)
    const { machine, state } = sentinelMachine(options.start, options.recorder)
    this.#state = state
    this.#driver = new Driver(machine, this.#ports(), watchOf(options.watch, state))
    this.#driver.start()
  }

  /** Takes a connection from the listener. */
  accept(socket: Socket): void {
    const { remoteAddress, remotePort, localAddress, localPort } = socket
    if (remoteAddress === undefined) return // It broke before we looked at it.
    if (this.#driver.backlog >= MAX_BACKLOG) return void socket.destroy()
    const client = ++this.#lastClientId
    this.#clients.add(client, socket)
    this.#feed({
      kind: 'clientOpened',
      client,
      address: hostAndPort(plainHost(remoteAddress), remotePort ?? 0),
      localAddress: hostAndPort(plainHost(localAddress), localPort ?? 0),
    })
  }

  /** SIGTERM or SIGINT. */
  stop(): void {
    this.#feed({ kind: 'stopRequested' })
  }

  /** The configuration file was read again and is valid; `before` is what it said until now. */
  reload(config: SentinelConfig, before: SentinelConfig): void {
    this.#feed({ kind: 'reloaded', config, before })
  }

  /** Looks at the state of the machine, which must not be changed or kept, at this moment. */
  look<Seen>(read: (state: State, now: Moment) => Seen): Seen {
    return read(this.#state, this.#surroundings.clock.read())
  }

  /** Gives a command as a client would. The words are byte strings. */
  ask(argv: readonly string[]): Promise<Reply> {
    return this.#operators.ask(argv)
  }

  /**
   * Tells every event, published by this Sentinel, from now on; `hear` is told those of the log first, as
   * data.
   */
  listen(tell: EventListener, hear: (event: AnnouncedEvent) => void): void {
    this.#hear = hear
    this.#operators.listen(tell)
  }

  /** What SIGKILL does: nothing is kept open or waited for any more. */
  abandon(): void {
    this.#alarm.stop()
    this.#links.closeAll()
    this.#clients.abandon()
    this.#scripts.abandon()
  }

  #feed(event: Event): void {
    this.#surroundings.admit(() => {
      this.#driver.feed(event)
      if (this.#driver.isBehind) this.#holdBack(event)
    })
  }

  /** While a save is under way, input can only pile up: we leave it with the kernel instead. */
  #holdBack(event: Event): void {
    if (event.kind === 'received') this.#clients.pauseReading(event.client)
    if (event.kind === 'reply' || event.kind === 'message') this.#links.pauseReading(event.link)
  }

  #caughtUp(): void {
    this.#clients.resumeReading()
    this.#links.resumeReading()
  }

  #clientClosed(client: ClientId, reason: string): void {
    this.#feed({ kind: 'clientClosed', client })
    if (reason !== DOES_NOT_READ && reason !== READ_TOO_LITTLE) return
    const heldBack = this.#budget.spend(this.#surroundings.clock.read().monoMs)
    if (heldBack === undefined) return
    const more = heldBack === 0 ? '' : ` (${heldBack} more such lines were left out before)`
    this.#options.logger.log('warning', `client id=${client} is closed: ${reason}${more}`)
  }

  #ports(): DriverPorts {
    return {
      now: () => this.#surroundings.clock.read(),
      wakeAt: (atMs) => this.#alarm.set(atMs),
      openLink: (link, _channel, host, port) => this.#links.open(link, host, port),
      closeLink: (link) => this.#links.close(link),
      send: (link, purpose, argv) => this.#links.send(link, purpose, argv),
      save: this.#options.save,
      respond: (client, protocol, reply) => {
        if (this.#operators.responded(client, reply)) return
        this.#clients.write(client, encodeReply(reply, protocol))
      },
      awaitDrain: (client) =>
        this.#clients.holdUntilDrained(client, () => this.#feed({ kind: 'drained', client })),
      closeClient: (client) => {
        if (!this.#operators.closed(client)) this.#clients.close(client)
      },
      inquire: (inquiry, question) =>
        answerLater(
          inquiry,
          question,
          (id, answer) => this.#feed({ kind: 'inquired', inquiry: id, answer }),
          this.#options,
        ),
      runScript: (job, argv) => this.#scripts.run(job, argv),
      killScript: (job) => this.#scripts.kill(job),
      setLogLevel: (level) => this.#options.logger.setLevel(level),
      log: (level, text, event) => this.#log(level, text, event),
      exit: (status) => this.#exit(status),
      caughtUp: () => this.#caughtUp(),
    }
  }

  #log(level: LogLevel, text: string, event: AnnouncedEvent | undefined): void {
    this.#options.logger.log(level, text, event)
    if (event === undefined) return
    this.#options.onEvent?.(event)
    this.#hear(event)
  }

  #exit(status: number): void {
    this.#alarm.stop()
    this.#options.onEnding?.()
    this.#scripts.abandon()
    this.#links.closeAll()
    void this.#clients.closeAll().then(() => this.#options.onExit(status))
  }
}

/** The machine of `core/`, together with its state. */
function sentinelMachine(
  start: SentinelStart,
  recorder: SentinelRecorder | undefined,
): { machine: SentinelMachine; state: State } {
  const process = start.process && (recorder?.overhear(start.process) ?? start.process)
  const { state, effects } = startSentinel({ ...start, process })
  recorder?.begin(state, start.now, effects)
  const machine: SentinelMachine = {
    start: () => effects,
    step:
      recorder === undefined
        ? (now, event) => step(state, now, event)
        : (now, event) => recorder.step(state, now, event),
    nextWakeUpMs: () => nextWakeUpMs(state),
  }
  return { machine, state }
}

function watchOf(watch: SentinelWatch | undefined, state: State): DriverWatch | undefined {
  if (watch === undefined) return undefined
  return { done: (effect) => watch.done(state, effect), stepped: () => watch.stepped(state) }
}
