/**
 * Host names. An instance keeps its host as it was named, and the address is looked up beside it, so that a
 * machine that comes back under another address is found again. Nothing ever waits for a name server:
 * before a new connection the name is looked up again, and meanwhile the last known address is tried.
 *
 * The complication is comparing: a name and an address, or two names, may mean one machine. Until the first
 * answer that is unknown, so news about a new name is put off until then (`hello-receive.ts`,
 * `info-reply.ts`). A missing answer counts as an answer after a few seconds.
 */

import type { Address } from '../../base/ip.ts'
import { canonicalIp, isHostName } from '../../base/ip.ts'
import { inquire } from '../external-queries.ts'
import { instancesOf, type State, type Turn } from '../state.ts'
import { log } from '../turn.ts'
import { type KnownName, SWEEP_AT_LEAST } from './known-names.ts'

/** A name is looked up no more often than this. */
const ASK_AGAIN_MS = 1_000
/**
 * Names of instances are looked up again with each connection; names we only heard of, after this
 * long.
 */
const REFRESH_MS = 30_000
/** Strangers can make us look up any name, so no more of their questions are under way than this. */
const HEARSAY_MAX = 16
const COMPLAINTS_MAX = 64

/**
 * The host in the form it is kept in: an IP address in its canonical text, or a name where names are
 * allowed [resolve-hostnames]. Undefined if no instance can live there.
 */
export function usableHost(state: State, text: string): string | undefined {
  const ip = canonicalIp(text)
  if (ip !== undefined || !state.config.resolveHostnames) return ip
  return isHostName(text) ? text : undefined
}

/** Do the two mean the same machine, as far as we know? */
export function sameHost(state: State, a: string, b: string): boolean {
  if (a === b) return true
  if (state.names.known.size === 0 && isDotted(a) && isDotted(b)) return false
  return hostIdentity(state, a) === hostIdentity(state, b)
}

export function sameAddress(state: State, a: Address, b: Address): boolean {
  return a.port === b.port && sameHost(state, a.host, b.host)
}

/** One text per machine: its address if that is known, else its name. Mapped IPv4 counts as IPv4. */
export function hostIdentity(state: State, host: string): string {
  const key = host.toLowerCase()
  const ip = canonicalIp(host) ?? state.names.known.get(key)?.address
  if (ip === undefined) return key
  return ip.startsWith('::ffff:') && ip.includes('.') ? ip.slice('::ffff:'.length) : ip
}

/** How a host is shown to clients, peers and data nodes [announce-hostnames]. */
export function shownHost(state: State, host: string): string {
  const { names, config } = state
  if (names.known.size === 0 || config.announceHostnames) return host
  return names.known.get(host.toLowerCase())?.address ?? host
}

/** The address for a new connection; undefined if it is not known yet. A name is looked up again. */
export function wayTo(turn: Turn, host: string): string | undefined {
  const ip = canonicalIp(host)
  if (ip !== undefined) return ip
  if (!turn.state.config.resolveHostnames) return knownName(turn.state, host)?.address
  const name = knownName(turn.state, host) ?? addName(turn.state, host)
  ask(turn, host, name, ASK_AGAIN_MS)
  return name.address
}

/** Looks up a host that others have mentioned, if it is a name and the last answer is old. */
export function hearOf(turn: Turn, host: string): void {
  if (!isName(turn.state, host)) return
  const known = knownName(turn.state, host)
  if (known === undefined && turn.state.names.underWay >= HEARSAY_MAX) return
  ask(turn, host, known ?? addName(turn.state, host), REFRESH_MS)
}

/**
 * True if it cannot be said which machine this host means before a question is answered that is
 * sent now.
 */
export function isPuzzling(turn: Turn, host: string): boolean {
  if (!isName(turn.state, host)) return false
  hearOf(turn, host)
  return knownName(turn.state, host)?.isAnswered !== true
}

/** A name whose address we cannot learn: for all we know, it may mean any machine. */
export function isRiddle(turn: Turn, host: string): boolean {
  if (!isName(turn.state, host)) return false
  hearOf(turn, host)
  return knownName(turn.state, host)?.address === undefined
}

export function knownName(state: State, host: string): KnownName | undefined {
  return state.names.known.get(host.toLowerCase())
}

/** Notes an address that was looked up elsewhere. */
export function learnAddress(turn: Turn, host: string, address: string): void {
  const name = knownName(turn.state, host) ?? addName(turn.state, host)
  name.address = address
  name.isAnswered = true
  name.askedAtMs = turn.now.monoMs
}

/** Logs once that a host cannot be used. */
export function complainOfHost(turn: Turn, host: string, of: string): void {
  const { names, config } = turn.state
  const complaint = `${of} ${host}`
  if (names.complaints.has(complaint)) return
  if (names.complaints.size >= COMPLAINTS_MAX) names.complaints.clear()
  names.complaints.add(complaint)
  const why = config.resolveHostnames ? 'it is no host name' : 'resolve-hostnames is off'
  log(turn, 'warning', `${of}: '${host}' is no address and cannot be resolved: ${why}`)
}

/** Whether the text must be resolved. Nothing must if names are not allowed. */
function isName(state: State, host: string): boolean {
  return state.config.resolveHostnames && canonicalIp(host) === undefined && isHostName(host)
}

function ask(turn: Turn, host: string, name: KnownName, againAfterMs: number): void {
  if (name.isAsked || turn.now.monoMs - name.askedAtMs < againAfterMs) return
  name.isAsked = true
  name.askedAtMs = turn.now.monoMs
  turn.state.names.underWay++
  inquire(turn, { kind: 'resolve', host }, { kind: 'name', host })
}

function addName(state: State, host: string): KnownName {
  const { names } = state
  if (names.known.size >= names.sweepAt) sweep(state)
  const name: KnownName = {
    address: undefined,
    askedAtMs: -Infinity,
    isAsked: false,
    isAnswered: false,
    failure: undefined,
    heldHellos: new Map(),
  }
  names.known.set(host.toLowerCase(), name)
  return name
}

/** Drops the names of hosts on which no instance lives, and which none follows. */
function sweep(state: State): void {
  const { names } = state
  const used = new Set<string>()
  for (const group of state.groups.values()) {
    for (const instance of instancesOf(group)) {
      used.add(instance.host.toLowerCase())
      if (instance.kind === 'replica') used.add(instance.masterHost.toLowerCase())
    }
  }
  for (const key of names.known.keys()) if (!used.has(key)) names.known.delete(key)
  names.sweepAt = Math.max(SWEEP_AT_LEAST, 2 * names.known.size)
}

/** Two IPv4 addresses are equal only if their texts are. */
function isDotted(text: string): boolean {
  return /^[\d.]+$/.test(text)
}
