/** Drives the proxy over real sockets: it passes on every input with its moment, and sets the one timer. */
import { Socket } from 'node:net'
import type { Moment } from '../../base/clock.ts'
import type { ClientEnds, Entrance, ProxyInputs, ProxyPort, WireId } from '../../proxy/port.ts'
import { ProxyMachine } from '../../proxy/proxy.ts'
import type { ProxyConfig } from '../../proxy/proxy-options.ts'
import type { Logger } from '../log/logger.ts'
import { plainHost } from '../network/address.ts'
import { Alarm } from '../process/alarm.ts'
import { readClock } from '../process/clock.ts'
import type { Tls } from '../tls/tls.ts'
import { Streams } from './streams.ts'

export interface ProxyHostOptions {
  readonly config: ProxyConfig
  readonly logger: Logger
  readonly onExit: (status: number) => void
  /** Undefined if Sentinels and nodes are spoken to plainly. */
  readonly tls?: Tls | undefined
  /** Told by how many milliseconds each wake-up is late. */
  readonly noteLateness?: ((lateMs: number) => void) | undefined
  /** [black-box] Puts on record what the proxy says of itself. */
  readonly note?: ProxyPort['note']
}

/** A client that has vanished without a word is noticed so much later. */
const KEEPALIVE_MS = 60_000

export class ProxyHost implements ProxyPort {
  readonly #options: ProxyHostOptions
  readonly #machine: ProxyMachine
  readonly #alarm: Alarm
  readonly #streams: Streams
  readonly note: ProxyPort['note']
  #lastClient = 0
  #hasExited = false

  constructor(options: ProxyHostOptions) {
    this.#options = options
    this.note = options.note
    const wake = () => this.#input((machine, now) => machine.wake(now))
    this.#alarm = new Alarm(wake, undefined, options.noteLateness)
    this.#streams = new Streams({
      received: (id, bytes) => this.#received(id, bytes),
      closed: (id, reason) => this.#input((machine, now) => machine.closed(now, id, reason)),
      halfClosed: (id) => this.#input((machine, now) => machine.halfClosed(now, id)),
      drained: (id) => this.#input((machine, now) => machine.drained(now, id)),
    })
    this.#machine = new ProxyMachine(options.config, this, readClock())
    this.#alarm.set(this.#machine.nextWakeUpMs())
  }

  accept(entrance: Entrance, socket: Socket): void {
    if (this.#hasExited) return void socket.destroy()
    const id = ++this.#lastClient
    const ends = endsOf(socket)
    socket.setKeepAlive(true, KEEPALIVE_MS)
    this.#streams.accept(id, socket)
    this.#input((machine, now) => machine.accepted(now, id, entrance, ends))
  }

  stop(): void {
    this.#input((machine, now) => machine.stopRequested(now))
  }

  /** Other times and groups, from now on. */
  change(config: ProxyConfig): void {
    this.#input((machine, now) => machine.reconfigured(now, config))
  }

  /** Looks at the machine, which must not be changed, at this moment. */
  look<Seen>(read: (machine: ProxyMachine) => Seen): Seen {
    this.#input((machine, now) => machine.wake(now))
    return read(this.#machine)
  }

  write(stream: WireId, bytes: string): void {
    this.#streams.write(stream, bytes)
  }

  queuedBytes(stream: WireId): number {
    return this.#streams.queuedBytes(stream)
  }

  pause(stream: WireId): void {
    this.#streams.pause(stream)
  }

  resume(stream: WireId): void {
    this.#streams.resume(stream)
  }

  close(stream: WireId, isAtOnce?: boolean): void {
    this.#streams.close(stream, isAtOnce)
  }

  connect(id: WireId, host: string, port: number): void {
    const { tls } = this.#options
    const isSecure = tls?.isOpening === true
    const raw = isSecure ? new Socket() : this.#streams.open(id)
    raw.connect({ host, port })
    const socket = isSecure ? tls.over(raw, host, port) : raw
    if (isSecure) this.#streams.add(id, socket)
    socket.once(isSecure ? 'secureConnect' : 'connect', () => {
      if (this.#streams.has(id)) this.#input((machine, now) => machine.connected(now, id))
    })
  }

  log(level: Parameters<ProxyPort['log']>[0], text: string): void {
    this.#options.logger.log(level, text)
  }

  exit(status: number): void {
    if (this.#hasExited) return
    this.#hasExited = true
    this.#alarm.stop()
    void this.#streams.closeAll().then(() => this.#options.onExit(status))
  }

  /** As `#input`, without a closure for what happens all the time. */
  #received(id: WireId, bytes: string): void {
    if (this.#hasExited) return
    this.#machine.received(readClock(), id, bytes)
    this.#turnEnds()
  }

  #input(feed: (machine: ProxyInputs, now: Moment) => void): void {
    if (this.#hasExited) return
    feed(this.#machine, readClock())
    this.#turnEnds()
  }

  #turnEnds(): void {
    this.#streams.flush()
    if (!this.#hasExited) this.#alarm.set(this.#machine.nextWakeUpMs())
  }
}

/** A Unix socket has no addresses. */
function endsOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): ClientEnds {
  return {
    remoteHost: plainHost(remoteAddress),
    remotePort: remotePort ?? 0,
    localHost: plainHost(localAddress),
    localPort: localPort ?? 0,
  }
}
