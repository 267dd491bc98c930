/** A Sentinel on real sockets: the machine, its driver, and what the driver's effects are done with. */
import type { Socket } from 'node:net'
import { hostAndPort } from '../base/ip.ts'
import type { SentinelConfig } from '../core/config.ts'
import type { Effect } from '../core/effect.ts'
import type { Event } from '../core/event.ts'
import type { SavedState } from '../core/memory/saved.ts'
import type { SentinelStart } from '../core/sentinel.ts'
import { startSentinel } from '../core/sentinel.ts'
import type { State } from '../core/state.ts'
import { nextWakeUpMs, step } from '../core/step.ts'
import { encodeReply } from '../resp/encode.ts'
import type { AclFile } from './acl-file.ts'
import { plainHost } from './address.ts'
import { Alarm } from './alarm.ts'
import { Connections } from './connections.ts'
import { Driver, type DriverPorts, type DriverWatch, type Machine } from './driver.ts'
import { answerLater } from './inquiries.ts'
import { Links } from './links.ts'
import type { Logger } from './logger.ts'
import { Scripts } from './scripts.ts'
import { kernelSurroundings, type Surroundings } from './surroundings.ts'
import type { Tls } from './tls.ts'

export interface SentinelHostOptions {
  readonly start: SentinelStart
  /** Resolves once the state is safely on disk. */
  readonly save: (state: SavedState) => Promise<void>
  readonly logger: Logger
  /** Everything has been written; the process may end. */
  readonly onExit: (status: number) => void
  /** [bind-source-addr] The address links are opened from. */
  readonly localAddress?: string | undefined
  /** [client-output-buffer-limit pubsub] A client with more than this waiting to be sent is cut off. */
  readonly outputLimitBytes?: number | undefined
  /** What `start.aclFile` came from. */
  readonly aclFile?: AclFile | undefined
  /** Undefined: links are plain connections. */
  readonly tls?: Tls | undefined
  /** Undefined: the kernel's own, with links from `localAddress`. */
  readonly surroundings?: Surroundings | undefined
  readonly watch?: SentinelWatch | undefined
}

/** Looks on, with the machine's state as it is when something is done. */
export interface SentinelWatch {
  done(state: State, effect: Effect): void
  stepped(state: State): void
}

/** What Redis allows a subscriber that does not keep up, unless it is told otherwise. */
const MAX_QUEUED_BYTES = 32 * 1024 * 1024

export class SentinelHost {
  readonly #options: SentinelHostOptions
  readonly #surroundings: Surroundings
  readonly #driver: Driver
  readonly #alarm: Alarm
  readonly #links: Links
  readonly #clients: Connections
  readonly #scripts: Scripts
  #lastClientId = 0

  constructor(options: SentinelHostOptions) {
    this.#options = options
    this.#surroundings = options.surroundings ?? kernelSurroundings(options.localAddress)
    const { clock, dial } = this.#surroundings
    const feed = (event: Event) => this.#feed(event)
    this.#alarm = new Alarm(() => feed({ kind: 'wake' }), clock)
    this.#links = new Links(feed, options.localAddress, dial, options.tls)
    this.#clients = new Connections(
      {
        received: (client, bytes) => feed({ kind: 'received', client, bytes }),
        closed: (client) => feed({ kind: 'clientClosed', client }),
      },
      { maxQueuedBytes: options.outputLimitBytes ?? MAX_QUEUED_BYTES },
    )
    this.#scripts = new Scripts(feed)
    const { machine, state } = sentinelMachine(options.start)
    this.#driver = new Driver(machine, this.#ports(), watchOf(options.watch, state))
    this.#driver.start()
  }

  /** Takes a connection from the listener. */
  accept(socket: Socket): void {
    const { remoteAddress, remotePort, localAddress, localPort } = socket
    if (remoteAddress === undefined) return // It broke before it was looked at.
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

  /** The configuration file was read again and is sound; `before` is what it said until now. */
  reload(config: SentinelConfig, before: SentinelConfig): void {
    this.#feed({ kind: 'reloaded', config, before })
  }

  /** What SIGKILL does: nothing more is kept open or waited for. */
  abandon(): void {
    this.#alarm.stop()
    this.#links.closeAll()
    this.#clients.abandon()
    this.#scripts.abandon()
  }

  #feed(event: Event): void {
    this.#surroundings.admit(() => this.#driver.feed(event))
  }

  #ports(): DriverPorts {
    return {
      now: () => this.#surroundings.clock.read(),
      wakeAt: (atMs) => this.#alarm.set(atMs),
      openLink: (link, _channel, host, port) => this.#links.open(link, host, port),
      closeLink: (link) => this.#links.close(link),
      send: (link, purpose, argv) => this.#links.send(link, purpose, argv),
      save: this.#options.save,
      respond: (client, protocol, reply) =>
        this.#clients.write(client, encodeReply(reply, protocol)),
      closeClient: (client) => this.#clients.close(client),
      inquire: (inquiry, question) =>
        answerLater(
          inquiry,
          question,
          (id, answer) => this.#feed({ kind: 'inquired', inquiry: id, answer }),
          undefined,
          this.#options.aclFile,
        ),
      runScript: (job, argv) => this.#scripts.run(job, argv),
      killScript: (job) => this.#scripts.kill(job),
      setLogLevel: (level) => this.#options.logger.setLevel(level),
      log: (level, text) => this.#options.logger.log(level, text),
      exit: (status) => this.#exit(status),
    }
  }

  #exit(status: number): void {
    this.#alarm.stop()
    this.#scripts.abandon()
    this.#links.closeAll()
    void this.#clients.closeAll().then(() => this.#options.onExit(status))
  }
}

/** The machine of `core/`, with its state held for it. */
function sentinelMachine(options: SentinelStart): { machine: Machine; state: State } {
  const { state, effects } = startSentinel(options)
  const machine: Machine = {
    start: () => effects,
    step: (now, event) => step(state, now, event),
    nextWakeUpMs: () => nextWakeUpMs(state),
  }
  return { machine, state }
}

function watchOf(watch: SentinelWatch | undefined, state: State): DriverWatch | undefined {
  if (watch === undefined) return undefined
  return { done: (effect) => watch.done(state, effect), stepped: () => watch.stepped(state) }
}
