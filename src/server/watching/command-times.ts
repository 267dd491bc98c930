/**
 * How long commands take. The machine has no clock of its own: its port lends it a stopwatch, and in
 * a simulation, where there is none, everything takes no time.
 */
import type { CommandInfo } from '../catalogue/command-info.ts'
import type { NodePort } from '../port.ts'
import type { ClientSession } from '../sessions/session.ts'
import type { Settings } from '../settings/settings.ts'
import type { CommandLog } from './command-log.ts'
import { LatencyHistogram } from './latency-histogram.ts'
import { type LatencyEvent, LatencyMonitor } from './latency-monitor.ts'

const UNKNOWN = Number.NEGATIVE_INFINITY

export class CommandTimes {
  readonly latency: LatencyMonitor
  readonly #slowLog: CommandLog
  readonly #stopwatch: () => number
  #thresholdMicros = 0
  #isTracked = true
  /** For how long commands have made the node stand still, while the stopwatch did not run. */
  #stoodMicros = 0
  /** When a command ended, while the next one of the same turn may have begun at that moment. */
  #endedAt = UNKNOWN

  constructor(settings: Settings, port: NodePort, slowLog: CommandLog) {
    this.#slowLog = slowLog
    this.latency = new LatencyMonitor(settings)
    this.#stopwatch = port.stopwatch ?? (() => 0)
    const follow = () => {
      const ms = settings.int('latency-monitor-threshold')
      this.#thresholdMicros = ms === 0 ? Number.POSITIVE_INFINITY : ms * 1000
      this.#isTracked = settings.flag('latency-tracking')
    }
    for (const name of WATCHED) settings.onChange(name, follow)
    follow()
  }

  /** Microseconds since some moment. */
  now(): number {
    return this.#stopwatch() + this.#stoodMicros
  }

  /** The command that runs stands still when it has ended: DEBUG SLEEP. That counts as its time. */
  stood(durationMs: number): void {
    this.#stoodMicros += durationMs * 1000
  }

  /**
   * The same for a command that a client sent: in a pipeline it begins when the one before has ended, and
   * one look at the stopwatch, which costs as much as a small command, is enough for both.
   */
  begun(): number {
    return this.#endedAt === UNKNOWN ? this.now() : this.#endedAt
  }

  turnBegins(): void {
    this.#endedAt = UNKNOWN
  }

  /** A command has run, from the moment `startedAt` on. `nowMs`: wall clock. */
  ended(
    client: ClientSession,
    command: CommandInfo,
    argv: readonly string[],
    startedAt: number,
    nowMs: number,
  ): void {
    this.#endedAt = this.now()
    const micros = this.#endedAt - startedAt
    command.micros += micros
    if (client.blocked !== undefined) client.blockedRun = { command, argv, micros }
    else this.#note(client, command, argv, micros, nowMs)
  }

  /** A client that waited is served, from the moment `startedAt` on. `isFailed`: with an error. */
  served(client: ClientSession, startedAt: number, nowMs: number, isFailed: boolean): void {
    const run = client.blockedRun
    if (run === undefined) return
    const serving = this.now() - startedAt
    run.command.micros += serving
    if (isFailed) run.command.failedCalls++
    this.#note(client, run.command, run.argv, run.micros + serving, nowMs)
  }

  #note(
    client: ClientSession,
    command: CommandInfo,
    argv: readonly string[],
    micros: number,
    nowMs: number,
  ): void {
    if (this.#isTracked) {
      command.latency ??= new LatencyHistogram()
      command.latency.add(micros * 1000)
    }
    if (micros >= this.#thresholdMicros) {
      this.latency.note(command.isFast ? 'fast-command' : 'command', micros, nowMs)
    }
    if (micros >= this.#slowLog.threshold) {
      this.#slowLog.note({ client, command, argv, nowMs }, Math.floor(micros))
    }
  }

  /** Something besides a command has run. */
  noteEvent(event: LatencyEvent, startedAt: number, nowMs: number): void {
    if (this.#thresholdMicros === Number.POSITIVE_INFINITY) return
    this.latency.note(event, this.now() - startedAt, nowMs)
  }
}

const WATCHED = ['latency-monitor-threshold', 'latency-tracking'] as const
