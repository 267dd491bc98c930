/**
 * How long a cluster may take to come to rest once everything is healed. Each part is a wait that the
 * protocol or the network is entitled to; what takes longer than all of them together is stuck.
 */
import { endOf, type Fault } from './fault.ts'
import type { Plan } from './plan.ts'

/** A Sentinel whose clock jumped, or that hung, believes nothing for so long. */
const TILT_MS = 30_000
/** Two INFO periods: a master that says it is a replica is given so long to think again. */
const ROLE_PATIENCE_MS = 20_000
/** Reconnects, hellos, a full synchronisation, and the wait of a client between attempts. */
const ROUND_TRIPS_MS = 10_000
/** Until a replica gives up a master it hears nothing from, as long as no setting says otherwise. */
const REPL_TIMEOUT_MS = 60_000

export function calmBudgetMs({ topology, faults }: Plan): number {
  const downAfterMs = Math.max(...topology.groups.map((group) => group.downAfterMs))
  const failoverMs = Math.max(...topology.groups.map((group) => group.failoverTimeoutMs))
  const tiltMs = faults.some(mayTilt) ? TILT_MS : 0
  const total =
    tiltMs +
    ROLE_PATIENCE_MS +
    ROUND_TRIPS_MS +
    2 * downAfterMs +
    // One that was under way may have to time out, and whoever yielded to it waits twice as long.
    4 * failoverMs +
    silenceMs(faults) +
    replTimeoutMs(topology.settings)
  return Math.ceil(total / 1_000) * 1_000
}

/**
 * How long a cluster that has come to rest may stir again after all. What was on the way when everything
 * was healed: a connection finds out about its partition only with the next retransmission. And who
 * was in TILT: a failover it was leading goes on when that is over.
 */
export function stirringMs({ faults, calmMs }: Plan): number {
  const tiltedMs = faults.filter(mayTilt).map((fault) => endOf(fault) + TILT_MS - calmMs)
  return ROUND_TRIPS_MS + Math.max(silenceMs(faults), ...tiltedMs)
}

function mayTilt({ kind }: Fault): boolean {
  return kind === 'clockJump' || kind === 'clockDrift' || kind === 'pause' || kind === 'stall'
}

/** The wait between two retransmissions has grown to at most as long as the silence lasted. */
function silenceMs(faults: readonly Fault[]): number {
  const silences = faults.filter(({ kind }) => SILENT.has(kind))
  return Math.max(0, ...silences.map((fault) => endOf(fault) - fault.fromMs))
}

const SILENT: ReadonlySet<Fault['kind']> = new Set(['partition', 'cut', 'hold', 'shape'])

function replTimeoutMs(settings: Plan['topology']['settings']): number {
  const seconds = settings['repl-timeout']
  return seconds === undefined ? REPL_TIMEOUT_MS : Number(seconds) * 1_000
}
