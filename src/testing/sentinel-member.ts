/** A Sentinel of the cluster. */
import { createRng } from '../base/rng.ts'
import type { AnnouncedEvent } from '../core/announced-event.ts'
import type { SentinelConfig } from '../core/config.ts'
import type { SavedState } from '../core/persistence/saved.ts'
import {
  currentMaster,
  type Group,
  type Instance,
  instancesOf,
  isSdown,
  isTilted,
} from '../core/state.ts'
import type { Surroundings } from '../io/host-environment.ts'
import { bareLogger } from '../io/log/bare-logger.ts'
import { SentinelHost } from '../io/sentinel-host.ts'
import type { Reply } from '../resp/reply.ts'
import { HostedMember, MemberDisk, type MemberPlace, type MemberProgram } from './member.ts'
import type { ManagedSentinel, SentinelView } from './parts.ts'

export interface SentinelMemberStart extends MemberPlace {
  readonly seed: string
  readonly config: SentinelConfig
  /** What it knows from the beginning: its peers and the replicas; undefined: only its configuration. */
  readonly saved: SavedState | undefined
  readonly log: (member: string, level: string, text: string) => void
  readonly onEvent: (member: string, event: AnnouncedEvent) => void
}

const STATE_FILE = 'state'
const SOON_MS = 1
/** Enough for deadlines that are `SOON_MS` away. */
const REDIAL_MS = 3

export class HostedSentinelMember extends HostedMember implements ManagedSentinel {
  readonly kind = 'sentinel'
  readonly #start: SentinelMemberStart
  readonly #disk = new MemberDisk()
  #host: SentinelHost | undefined
  #cancelRedial: (() => void) | undefined

  constructor(start: SentinelMemberStart) {
    super(start)
    this.#start = start
    if (start.saved !== undefined) this.#disk.save(STATE_FILE, JSON.stringify(start.saved))
  }

  view(name: string): SentinelView | undefined {
    if (this.status === 'down') return undefined
    return this.#host?.look((state) => {
      const group = state.groups.get(name)
      return group === undefined ? undefined : viewOf(group, isTilted(state))
    })
  }

  order(argv: readonly string[]): Promise<Reply> {
    const host = this.#host
    if (host === undefined || this.status !== 'running') {
      return Promise.reject(new Error(`${this.name} is ${this.status}`))
    }
    return host.ask(argv)
  }

  /** Deadlines move forward with a period, and stay where they are when it is long again. */
  hurry(): void {
    this.#setPeriod('INFO-PERIOD', SOON_MS)
    this.#setPeriod('INFO-PERIOD', this.#start.config.periods.infoMs)
  }

  /** How soon a Sentinel may dial again follows from the period of its PINGs. */
  redial(): void {
    if (this.#cancelRedial !== undefined) return
    this.#setPeriod('PING-PERIOD', SOON_MS)
    this.#cancelRedial = this.place.clock.after(REDIAL_MS, () => {
      this.#cancelRedial = undefined
      this.#setPeriod('PING-PERIOD', this.#start.config.periods.pingMs)
    })
  }

  override halt(): void {
    this.#cancelRedial?.()
    this.#cancelRedial = undefined
    super.halt()
  }

  /** In TILT, and when the clock goes back, it would decide nothing for half a minute. */
  override correctClock(): void {
    const isConfused = this.clock.isWrong || this.#host?.look(isTilted) === true
    super.correctClock()
    if (isConfused) this.halt()
  }

  /** A Sentinel that was stopped meanwhile finds it when it goes on. */
  #setPeriod(name: string, ms: number): void {
    this.#host?.ask(['SENTINEL', 'DEBUG', name, `${ms}`]).catch(() => undefined)
  }

  protected override wipe(): void {
    this.#disk.wipe()
  }

  protected override failDisk(code: string | undefined): void {
    this.#disk.failWith(code)
  }

  protected override boot(surroundings: Surroundings, life: number): MemberProgram {
    const { config, seed, onEvent } = this.#start
    const rng = createRng(`${seed}/${this.name}/${life}`)
    const host = new SentinelHost({
      start: { config, saved: this.#saved(), rng, now: surroundings.clock.read() },
      save: (state) => this.#save(state),
      logger: bareLogger((level, text) => this.#start.log(this.name, level, text)),
      onExit: () => this.ended(life),
      onEvent: (event) => onEvent(this.name, event),
      surroundings,
      tls: this.place.tls?.opening,
    })
    this.#host = host
    return {
      take: (socket) => host.accept(socket),
      abandon: () => host.abandon(),
    }
  }

  async #save(state: SavedState): Promise<void> {
    const failure = this.#disk.save(STATE_FILE, JSON.stringify(state))
    if (failure !== undefined) throw new Error(failure)
  }

  /** A disk in memory tears nothing: what would be checked of a file on the way back need not be. */
  #saved(): SavedState | undefined {
    const text = this.#disk.read(STATE_FILE)
    return text === undefined ? undefined : (JSON.parse(text) as SavedState)
  }
}

function viewOf(group: Group, isTilted: boolean): SentinelView {
  const { host: masterHost, port: masterPort } = currentMaster(group)
  const instances = [...instancesOf(group)].map((instance) => {
    return {
      port: instance.port,
      isDown: isSdown(instance),
      isReached: instance.link.wasOk,
      isInPlace: isInPlace(instance, masterPort),
    }
  })
  const isFailingOver = group.failover !== undefined
  return {
    masterHost,
    masterPort,
    instances,
    isFailingOver,
    isTilted,
    configEpoch: group.configEpoch,
  }
}

function isInPlace(instance: Instance, masterPort: number): boolean {
  if (instance.kind === 'sentinel') return true
  if (instance.kind === 'master') return instance.infoAtMs !== undefined
  return instance.masterLinkUp && instance.masterPort === masterPort
}
