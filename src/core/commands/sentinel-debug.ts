/**
 * SENTINEL DEBUG and SIMULATE-FAILURE: to see how a cluster behaves with other periods, or without
 * a Sentinel that has just begun a failover. Nothing set here outlives the process.
 */
import { bulkMap, bulks, error, OK, type Reply } from '../../resp/reply.ts'
import type { Client } from '../clients/client.ts'
import type { Periods } from '../config.ts'
import { checkDown } from '../detection/down.ts'
import { pingIntervalMs } from '../detection/ping.ts'
import { driveFailover } from '../failover/failover.ts'
import { scheduleScripts } from '../scripts/script-queue.ts'
import { type Instance, instancesOf, type Turn } from '../state.ts'
import { log } from '../turn.ts'
import { parseInteger } from './sentinel-arguments.ts'
import { sentinelCommand } from './sentinel-command.ts'

/** In the order of the reply. */
const PERIODS: readonly (readonly [name: string, key: keyof Periods])[] = [
  ['info-period', 'infoMs'],
  ['ping-period', 'pingMs'],
  ['ask-period', 'askMs'],
  ['publish-period', 'helloMs'],
  ['default-down-after', 'defaultDownAfterMs'],
  ['default-failover-timeout', 'defaultFailoverTimeoutMs'],
  ['tilt-trigger', 'tiltTriggerMs'],
  ['tilt-period', 'tiltMs'],
  ['slave-reconf-timeout', 'slaveReconfTimeoutMs'],
  ['min-link-reconnect-period', 'minLinkReconnectMs'],
  ['election-timeout', 'electionTimeoutMs'],
  ['script-max-runtime', 'scriptMaxRuntimeMs'],
  ['script-retry-delay', 'scriptRetryDelayMs'],
]

function debug(turn: Turn, _client: Client, [, , ...words]: readonly string[]): Reply {
  const { periods } = turn.state.config
  if (words.length === 0) {
    return bulkMap(PERIODS.map(([name, key]) => [name.toUpperCase(), String(periods[key])]))
  }
  const { changed, mistake } = readPeriods(periods, words)
  if (changed !== periods) changePeriods(turn, changed)
  return mistake ?? OK
}

/** The periods up to the first mistake: as in C Sentinel, what stands before it stays in force. */
function readPeriods(periods: Periods, words: readonly string[]) {
  let changed = periods
  for (let at = 0; at < words.length; at += 2) {
    const [typed = '', value] = words.slice(at, at + 2)
    const [, key] = PERIODS.find(([name]) => name === typed.toLowerCase()) ?? []
    if (key === undefined || value === undefined) {
      const text = `ERR Unknown option or number of arguments for SENTINEL DEBUG '${typed}'`
      return { changed, mistake: error(text) }
    }
    const ms = parseInteger(value)
    if (ms === undefined || ms < 1) {
      const text = `ERR Invalid argument '${value}' for SENTINEL DEBUG '${typed}'`
      return { changed, mistake: error(text) }
    }
    changed = { ...changed, [key]: ms }
  }
  return { changed, mistake: undefined }
}

export const DEBUG = sentinelCommand(
  {
    name: 'debug',
    arity: -2,
    usage: '[<param> <value> ...]',
    summary: 'Show the periods of the protocol in milliseconds, or change some until the end.',
    since: '7.0.0',
  },
  debug,
)

const MOMENTS = {
  'crash-after-election': 'election',
  'crash-after-promotion': 'promotion',
} as const

/** Every call replaces the setting before it, even a call that contains a mistake. */
function simulateFailure(turn: Turn, _client: Client, [, , ...words]: readonly string[]): Reply {
  const { crashesAfter } = turn.state
  crashesAfter.election = false
  crashesAfter.promotion = false
  for (const word of words.map((typed) => typed.toLowerCase())) {
    if (word === 'help') return bulks(Object.keys(MOMENTS))
    if (!isMoment(word)) return error('ERR Unknown failure simulation specified')
    crashesAfter[MOMENTS[word]] = true
    log(turn, 'warning', `Failure simulation: this Sentinel will ${word.replaceAll('-', ' ')}`)
  }
  return OK
}

function isMoment(word: string): word is keyof typeof MOMENTS {
  return Object.hasOwn(MOMENTS, word)
}

export const SIMULATE_FAILURE = sentinelCommand(
  {
    name: 'simulate-failure',
    arity: -3,
    usage: '[CRASH-AFTER-ELECTION] [CRASH-AFTER-PROMOTION] [HELP]',
    summary: 'End this process with status 99 at that moment of its next failover.',
    since: '3.2.0',
  },
  simulateFailure,
)

// SENTINEL DEBUG: other periods for the protocol, in force at once.

/**
 * Every deadline was set with the period of its time, so those that would now come too late are
 * moved forward. A deadline that comes too early does no harm: the next one is set with the new
 * period.
 */
function changePeriods(turn: Turn, periods: Periods): void {
  const { state, now } = turn
  state.config = { ...state.config, periods }
  for (const group of state.groups.values()) {
    for (const instance of instancesOf(group)) hasten(turn, instance)
    if (group.deadlines.has('ask')) state.timers.advance(group, 'ask', now.monoMs + periods.askMs)
    driveFailover(turn, group)
  }
  scheduleScripts(turn)
}

function hasten(turn: Turn, instance: Instance): void {
  const { timers, config } = turn.state
  const nowMs = turn.now.monoMs
  const { link } = instance
  const { infoMs, helloMs } = config.periods
  timers.advance(link, 'ping', nowMs + pingIntervalMs(turn.state, link))
  timers.advance(instance, 'hello', nowMs + helloMs)
  if (instance.kind !== 'sentinel') timers.advance(instance, 'info', nowMs + infoMs)
  checkDown(turn, instance)
}
