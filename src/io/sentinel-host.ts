/** A Sentinel on real sockets: the machine, its driver, and what the driver's effects are done with. */
import type { Socket } from 'node:net'
import type { Event } from '../core/event.ts'
import type { SavedState } from '../core/saved.ts'
import type { SentinelStart } from '../core/sentinel.ts'
import { startSentinel } from '../core/sentinel.ts'
import { nextWakeUpMs, step } from '../core/step.ts'
import { encodeReply } from '../resp/encode.ts'
import { plainHost } from './address.ts'
import { Alarm } from './alarm.ts'
import { readClock } from './clock.ts'
import { Connections } from './connections.ts'
import { Driver, type DriverPorts, type Machine } from './driver.ts'
import { Links } from './links.ts'
import type { Logger } from './logger.ts'

export interface SentinelHostOptions {
  readonly start: SentinelStart
  /** Resolves once the state is safely on disk. */
  readonly save: (state: SavedState) => Promise<void>
  readonly logger: Logger
  /** Everything has been written; the process may end. */
  readonly onExit: (status: number) => void
  /** [bind-source-addr] The address links are opened from. */
  readonly localAddress?: string | undefined
}

/** What Redis allows a subscriber that does not keep up. */
const MAX_QUEUED_BYTES = 32 * 1024 * 1024

export class SentinelHost {
  readonly #options: SentinelHostOptions
  readonly #driver: Driver
  readonly #alarm: Alarm
  readonly #links: Links
  readonly #clients: Connections
  #lastClientId = 0

  constructor(options: SentinelHostOptions) {
    this.#options = options
    const feed = (event: Event) => this.#driver.feed(event)
    this.#alarm = new Alarm(() => feed({ kind: 'wake' }))
    this.#links = new Links(feed, options.localAddress)
    this.#clients = new Connections(
      {
        received: (client, bytes) => feed({ kind: 'received', client, bytes }),
        closed: (client) => feed({ kind: 'clientClosed', client }),
      },
      { maxQueuedBytes: MAX_QUEUED_BYTES },
    )
    this.#driver = new Driver(sentinelMachine(options.start), this.#ports())
    this.#driver.start()
  }

  /** Takes a connection from the listener. */
  accept(socket: Socket): void {
    const { remoteAddress, remotePort, localAddress, localPort } = socket
    if (remoteAddress === undefined) return // It broke before it was looked at.
    const client = ++this.#lastClientId
    this.#clients.add(client, socket)
    this.#driver.feed({
      kind: 'clientOpened',
      client,
      address: `${plainHost(remoteAddress)}:${remotePort}`,
      localAddress: `${plainHost(localAddress)}:${localPort}`,
    })
  }

  /** SIGTERM or SIGINT. */
  stop(): void {
    this.#driver.feed({ kind: 'stopRequested' })
  }

  #ports(): DriverPorts {
    return {
      now: readClock,
      wakeAt: (atMs) => this.#alarm.set(atMs),
      openLink: (link, _channel, host, port) => this.#links.open(link, host, port),
      closeLink: (link) => this.#links.close(link),
      send: (link, purpose, argv) => this.#links.send(link, purpose, argv),
      save: this.#options.save,
      respond: (client, protocol, reply) =>
        this.#clients.write(client, encodeReply(reply, protocol)),
      closeClient: (client) => this.#clients.close(client),
      log: (level, text) => this.#options.logger.log(level, text),
      exit: (status) => this.#exit(status),
    }
  }

  #exit(status: number): void {
    this.#alarm.stop()
    this.#links.closeAll()
    void this.#clients.closeAll().then(() => this.#options.onExit(status))
  }
}

/** The machine of `core/`, with its state held for it. */
function sentinelMachine(options: SentinelStart): Machine {
  const { state, effects } = startSentinel(options)
  return {
    start: () => effects,
    step: (now, event) => step(state, now, event),
    nextWakeUpMs: () => nextWakeUpMs(state),
  }
}
