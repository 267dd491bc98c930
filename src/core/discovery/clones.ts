/**
 * Clones: another process that says hello with our id, as a copied virtual machine or a copied state file makes
 * one. All others take the two for one Sentinel that moves to and fro. They are never peers of each other, so
 * nobody else could tell the operator.
 *
 * Most hellos with our id are our own: they come back from each node at which we listen. A hello names its
 * sender's address and not the run it comes from, so we remember every address that ours have named since our
 * start: several addresses, NAT or a changed announce-ip lead to no alarm. What we said before a restart under
 * another address may still arrive from a replica that lags, but not for long: a clone says hello again and again.
 *
 * A clone that announces the same address as we do cannot be told from us. A hello proves nothing: anyone who may
 * publish can write one, so all that follows is a warning.
 */
import { hostAndPort } from '../../base/ip.ts'
import type { State, Turn } from '../state.ts'
import { log } from '../turn.ts'
import type { CloneWatch, Sighting } from './clone-watch.ts'
import type { Hello } from './hello-format.ts'

/** A clone is one once it has been heard for as many hello periods, and is none after as many without a word. */
const PERIODS_TO_BELIEVE = 10
const PERIODS_TO_FORGET = 5
/** A Sentinel has few addresses, and strangers must not fill our memory with made-up ones. */
const ADDRESSES_MAX = 64

/** Called with each hello of ours. */
export function noteAnnounced(state: State, host: string, port: number): void {
  const { announced, sightings } = watchOf(state)
  const address = hostAndPort(host, port)
  if (announced.has(address)) return
  if (announced.size >= ADDRESSES_MAX) announced.clear()
  announced.add(address)
  sightings.delete(address)
}

/** Handles a hello with our own id. */
export function noteOwnId(turn: Turn, { host, port }: Hello): void {
  const { announced, sightings } = watchOf(turn.state)
  const address = hostAndPort(host, port)
  if (announced.has(address)) return
  const sighting = sightings.get(address) ?? addSighting(turn, sightings, address)
  if (sighting === undefined) return
  const { monoMs } = turn.now
  if (!isFresh(turn, sighting)) sighting.sinceMs = monoMs
  sighting.lastMs = monoMs
  if (sighting.isTold || !isBelieved(turn, sighting)) return
  sighting.isTold = true
  log(turn, 'warning', cloneText(turn.state, address))
}

/** One text for each clone that is heard at present. */
export function cloneTexts(turn: Turn): readonly string[] {
  const sightings = [...(turn.state.clones?.sightings ?? [])]
  return sightings
    .filter(([, one]) => isFresh(turn, one) && isBelieved(turn, one))
    .map(([address]) => cloneText(turn.state, address))
}

/** `vedette status` gives the same advice where it sees two Sentinels with one id. */
export const CLONE_CURE =
  'stop one, delete both copies of its state file (of redis-sentinel: the line `sentinel myid`), and start it again'

function cloneText({ myid }: State, address: string): string {
  return `another Sentinel, at ${address}, says hello with the id of this one (${myid.slice(0, 8)}), and both could be elected; ${CLONE_CURE}`
}

function watchOf(state: State): CloneWatch {
  state.clones ??= { announced: new Set(), sightings: new Map() }
  return state.clones
}

function addSighting(
  turn: Turn,
  sightings: CloneWatch['sightings'],
  address: string,
): Sighting | undefined {
  if (sightings.size >= ADDRESSES_MAX) {
    for (const [key, one] of sightings) if (!isFresh(turn, one)) sightings.delete(key)
  }
  if (sightings.size >= ADDRESSES_MAX) return undefined
  const { monoMs } = turn.now
  const sighting = { sinceMs: monoMs, lastMs: monoMs, isTold: false }
  sightings.set(address, sighting)
  return sighting
}

function isFresh({ state, now }: Turn, { lastMs }: Sighting): boolean {
  return now.monoMs - lastMs <= PERIODS_TO_FORGET * state.config.periods.helloMs
}

function isBelieved({ state }: Turn, { sinceMs, lastMs }: Sighting): boolean {
  return lastMs - sinceMs >= PERIODS_TO_BELIEVE * state.config.periods.helloMs
}
