/**
 * How long a cluster may take to come to rest once everything is healed. Each part is a wait to
 * which the protocol or the network is entitled; a cluster that takes longer than all of them
 * together is stuck.
 */
import { costOf, endOf, type Fault } from './faults/faults.ts'
import type { FuzzPlan } from './plan.ts'
import { emptiedBy } from './strict-rules.ts'

/** A Sentinel whose clock jumped, or that hung, trusts nothing for this long. */
const TILT_MS = 30_000
/**
 * Two INFO periods: the Sentinels give a master that calls itself a replica this long to change.
 */
const ROLE_PATIENCE_MS = 20_000
/** Reconnects, hellos, a full synchronisation, and the wait of a client between attempts. */
const ROUND_TRIPS_MS = 10_000
/**
 * Until a replica gives up a master from which it hears nothing, unless a setting says otherwise.
 */
const REPL_TIMEOUT_MS = 60_000

/** A voter that lost its vote with its disk catches up, and the Sentinels give votes back once a minute. */
const RENEWAL_MS = 75_000

/** A pause that no Sentinel could be told to end lasts for this long at most. */
const PAUSE_REST_MS = 10_000

export function calmBudgetMs({ topology, faults }: FuzzPlan): number {
  const downAfterMs = Math.max(...topology.groups.map((group) => group.downAfterMs))
  const failoverMs = Math.max(...topology.groups.map((group) => group.failoverTimeoutMs))
  const tiltMs = faults.some(mayTilt) ? TILT_MS : 0
  const total =
    tiltMs +
    ROLE_PATIENCE_MS +
    ROUND_TRIPS_MS +
    2 * downAfterMs +
    // A failover that was under way may have to time out, and a Sentinel that yielded to it waits
    // twice as long.
    4 * failoverMs +
    Math.max(0, ...topology.groups.map(({ failoverBlockMs = 0 }) => failoverBlockMs)) +
    (faults.some(({ kind }) => kind === 'pausedFailover') ? PAUSE_REST_MS : 0) +
    silenceMs(faults) +
    replTimeoutMs(topology.settings)
  return Math.ceil(total / 1_000) * 1_000
}

/**
 * How long a cluster that has come to rest may still be disturbed. One cause is what was on the way
 * when everything was healed: a connection notices the end of its partition only with the next
 * retransmission. Another is TILT: when it is over, a Sentinel continues the failover it was
 * leading. The third is a vote that was lost and is given back.
 */
export function stirringMs(plan: FuzzPlan): number {
  const { topology, faults, calmMs } = plan
  const isStrict = topology.groups.some(({ replication }) => replication === 'strict')
  const emptying = isStrict ? faults.filter((fault) => emptiedBy(fault, plan).length > 0) : []
  const overMs = [
    ...faults.filter(mayTilt).map((fault) => endOf(fault) + TILT_MS),
    ...emptying.map((fault) => endOf(fault) + RENEWAL_MS),
  ]
  return ROUND_TRIPS_MS + Math.max(silenceMs(faults), ...overMs.map((atMs) => atMs - calmMs))
}

/**
 * How long lies have effects when everything else has come to rest. A Sentinel that a lie made vote
 * gives the candidate two failover-timeouts before it stands itself, as it would give an honest one
 * that died. Then all processes must be well for as long as the check of availability wants.
 */
export function yieldingMs({ topology }: FuzzPlan): number {
  const failoverMs = Math.max(...topology.groups.map((group) => group.failoverTimeoutMs))
  return 2 * failoverMs + ROLE_PATIENCE_MS
}

function mayTilt(fault: Fault): boolean {
  return costOf(fault) === 'tilt'
}

/** The wait between two retransmissions has grown to at most as long as the silence lasted. */
function silenceMs(faults: readonly Fault[]): number {
  const silences = faults.filter((fault) => costOf(fault) === 'silence')
  return Math.max(0, ...silences.map((fault) => endOf(fault) - fault.fromMs))
}

function replTimeoutMs(settings: FuzzPlan['topology']['settings']): number {
  const seconds = settings['repl-timeout']
  return seconds === undefined ? REPL_TIMEOUT_MS : Number(seconds) * 1_000
}
