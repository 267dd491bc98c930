/**
 * What a Sentinel that is well must notice, and by when: that an instance has died, that it is back, that
 * another Sentinel has promoted a replica, that an old master has come back as one. All of it is claimed only
 * where nothing has been in the way for long enough.
 */

import type { Address } from '../../base/ip.ts'
import type { Happening } from '../happening.ts'
import type { GroupSpec, NodeSpec } from '../topology.ts'
import type { Checker } from './checker.ts'
import type { CheckerView } from './checker-view.ts'
import { forgetEnded, placeOf, readSubject, SentinelPast } from './sentinel-past.ts'

/** How often the claims are looked at. */
const LOOK_MS = 500
/** A reconnection, a PING, and saving. */
const NOTICE_MS = 5_000
/** INFO is asked for every ten seconds. */
const INFO_MS = 12_000

interface Watch {
  readonly scene: CheckerView
  readonly past: SentinelPast
  readonly known: Known
}

/** Called with the moment of each look. */
type Look = (nowMs: number, watch: Watch) => string | undefined

function looking(name: string, scene: CheckerView, look: Look): Checker {
  const watch = { scene, past: new SentinelPast(), known: new Known(scene) }
  let nextMs = 0
  return {
    name,
    observe: (happening) => {
      const found = happening.atMs >= nextMs ? look(happening.atMs, watch) : undefined
      if (happening.atMs >= nextMs) nextMs = happening.atMs + LOOK_MS
      watch.past.note(happening)
      watch.known.note(happening)
      return found
    },
  }
}

/** Every Sentinel holds an instance down that has not answered for a down-after and some time. */
export function deathsAreNoticed(scene: CheckerView): Checker {
  const said = new Set<string>()
  return looking('deaths are noticed', scene, (nowMs, watch) => {
    return firstFault(watch, (sentinel, group, subject) => {
      const haltedMs = scene.haltedSinceMs(subject.name)
      const sinceMs = nowMs - group.downAfterMs - NOTICE_MS
      const key = `${sentinel} ${group.name} ${subject.name} ${haltedMs}`
      if (haltedMs === undefined || haltedMs > sinceMs || said.has(key)) return undefined
      if (!isAttentive(sentinel, group, sinceMs, watch)) return undefined
      if (!scene.troubles.isWayCalm(sentinel, subject.name, sinceMs)) return undefined
      if (!watch.known.isKnownSince(sentinel, group.name, subject, sinceMs)) return undefined
      if (subject.downSinceMs !== undefined) return undefined
      said.add(key)
      return `${sentinel} does not hold ${subject.name} down, which has answered nothing for ${nowMs - haltedMs} ms`
    })
  })
}

/** No Sentinel goes on holding a replica or a Sentinel down that is well again. */
export function returnsAreNoticed(scene: CheckerView): Checker {
  const said = new Set<string>()
  return looking('returns are noticed', scene, (nowMs, watch) => {
    return firstFault(watch, (sentinel, group, subject) => {
      const { name, downSinceMs, isMaster } = subject
      const sinceMs = nowMs - NOTICE_MS
      const key = `${sentinel} ${group.name} ${name} ${downSinceMs}`
      // A master may be down for other reasons than silence.
      if (downSinceMs === undefined || downSinceMs > sinceMs || isMaster || said.has(key))
        return undefined
      if ((scene.runsSinceMs(name) ?? nowMs) > sinceMs || !scene.troubles.isCalm(name, sinceMs))
        return undefined
      // A leader names the next master already, and holds the old one down until its switch.
      if (watch.known.isBusy(group.name)) return undefined
      if (!isAttentive(sentinel, group, sinceMs, watch)) return undefined
      if (!scene.troubles.isWayCalm(sentinel, name, sinceMs)) return undefined
      said.add(key)
      return `${sentinel} still holds ${name} down, which has been well for more than ${NOTICE_MS} ms`
    })
  })
}

/** An old master that comes back is made a replica at once, and not only after four hello periods. */
export function falseMastersAreTurned(scene: CheckerView): Checker {
  const said = new Set<string>()
  return looking('an old master is turned at once', scene, (nowMs, watch) => {
    const { topology, troubles } = scene
    const sinceMs = nowMs - NOTICE_MS
    for (const node of topology.nodes) {
      const role = scene.roleOf(node.name)
      if (role?.role.kind !== 'master' || role.sinceMs > sinceMs || said.has(node.name)) continue
      if ((scene.runsSinceMs(node.name) ?? nowMs) > sinceMs) continue
      const turner = topology.sentinels.find(({ name }) => mustTurn(name, node, nowMs, watch))
      if (turner === undefined || troubles.hasOtherRules(node.name)) continue
      said.add(node.name)
      return `${node.name} has been a second master for ${nowMs - role.sinceMs} ms, and ${turner.name} knows it`
    }
    return undefined
  })
}

function mustTurn(sentinel: string, node: NodeSpec, nowMs: number, watch: Watch): boolean {
  const { scene, past, known } = watch
  const { topology, troubles } = scene
  const group = scene.group(node.group)
  const master = past.masterOf(sentinel, node.group)
  const switchedMs = past.switchedAtMs(sentinel, node.group)
  if (group === undefined || master === undefined || switchedMs === undefined) return false
  const masterName = scene.nameOf(master)
  if (masterName === node.name || known.wasPromoted(node.name) || group.master !== node.name)
    return false
  // One that was a replica meanwhile, or comes back twice with an old dump, looks as if somebody had promoted it.
  if (scene.replicaAtMs(node.name, nowMs) !== undefined || known.diedTwice(node.name)) return false
  if (switchedMs > nowMs - INFO_MS || !isAttentive(sentinel, group, nowMs - INFO_MS, watch))
    return false
  const address = scene.addressOf(node.name)
  if (!address || past.nodeDownSinceMs(sentinel, node.group, address) !== undefined) return false
  if (known.backAtMs(sentinel, node) > nowMs - NOTICE_MS) return false
  if (!troubles.isWayCalm(sentinel, node.name, nowMs - NOTICE_MS)) return false
  const role = scene.roleOf(masterName)
  if (role?.role.kind !== 'master' || role.sinceMs > nowMs - INFO_MS) return false
  // A strict master that was restarted has no term, and may never get one again: no node is told to follow it.
  const runsSinceMs = scene.runsSinceMs(masterName) ?? nowMs
  if (group.replication === 'strict' && runsSinceMs > switchedMs) return false
  if (!troubles.isCalm(masterName, nowMs - INFO_MS)) return false
  if (!troubles.isWayCalm(sentinel, masterName, nowMs - INFO_MS)) return false
  const near = topology.sentinels.filter(({ name }) => {
    return (
      name === sentinel ||
      (troubles.isCalm(name, nowMs - INFO_MS) &&
        troubles.isWayCalm(sentinel, name, nowMs - INFO_MS))
    )
  })
  return near.length > topology.sentinels.length / 2 && !known.isBusy(node.group)
}

/** The Sentinel runs, is in no trouble and trusts its clocks, and watches the group as the files say. */
function isAttentive(
  sentinel: string,
  group: GroupSpec,
  sinceMs: number,
  { scene, past }: Watch,
): boolean {
  const { troubles } = scene
  if ((scene.runsSinceMs(sentinel) ?? Infinity) > sinceMs || past.isTilted(sentinel)) return false
  if ((past.tiltEndedAtMs(sentinel) ?? 0) > sinceMs) return false
  if ((past.switchedAtMs(sentinel, group.name) ?? 0) > sinceMs) return false
  return troubles.isCalm(sentinel, sinceMs) && !troubles.hasOtherRules(sentinel)
}

interface Subject {
  readonly name: string
  /** Since when the Sentinel holds it down. */
  readonly downSinceMs: number | undefined
  readonly isMaster: boolean
}

function firstFault(
  { scene, past, known }: Watch,
  faultOf: (sentinel: string, group: GroupSpec, subject: Subject) => string | undefined,
): string | undefined {
  const { groups, nodes, sentinels, liars } = scene.topology
  // A liar can answer in the name of one that is dead, or move one that is well.
  if (liars.length > 0) return undefined
  for (const { name: sentinel } of sentinels) {
    if (scene.runsSinceMs(sentinel) === undefined) continue
    for (const group of groups) {
      const subjects = [
        ...nodes.filter((node) => node.group === group.name).map(({ name }) => nodeSubject(name)),
        ...sentinels.filter(({ name }) => name !== sentinel).map(({ name }) => peerSubject(name)),
      ]
      for (const subject of subjects) {
        const fault = subject && faultOf(sentinel, group, subject)
        if (fault !== undefined) return fault
      }
      function nodeSubject(name: string): Subject | undefined {
        const address = scene.addressOf(name)
        if (address === undefined) return undefined
        const master = past.masterOf(sentinel, group.name)
        const isMaster = master !== undefined && placeOf(master) === placeOf(address)
        const downSinceMs = past.nodeDownSinceMs(sentinel, group.name, address)
        return { name, downSinceMs, isMaster }
      }
      function peerSubject(name: string): Subject | undefined {
        const id = known.idOf(name)
        if (id === undefined) return undefined
        const downSinceMs = past.peerDownSinceMs(sentinel, group.name, id)
        return { name, downSinceMs, isMaster: false }
      }
    }
  }
  return undefined
}

/** Which instances each Sentinel has met. */
class Known {
  readonly #scene: CheckerView
  readonly #ids = new Map<string, string>()
  /** By Sentinel, group and instance: since when. */
  readonly #metAtMs = new Map<string, number>()
  /** The same, since when each answers again. */
  readonly #backAtMs = new Map<string, number>()
  readonly #promoted = new Set<string>()
  readonly #deaths = new Map<string, number>()
  /** Failovers under way, by Sentinel and group. */
  readonly #busy = new Set<string>()

  constructor(scene: CheckerView) {
    this.#scene = scene
  }

  note(happening: Happening): void {
    const { process = '', atMs } = happening
    if ('sentinelId' in happening && happening.process !== undefined) {
      this.#ids.set(process, happening.sentinelId)
    }
    if (happening.kind === 'status' && happening.status === 'down') {
      this.#deaths.set(process, (this.#deaths.get(process) ?? 0) + 1)
    }
    forgetEnded(this.#busy, happening)
    // With an old state file it may not know what it knew, and be told of no change since.
    if (happening.kind === 'fault' && happening.action?.kind === 'rollBack') {
      this.#forget(`${happening.action.process} `)
    }
    if (happening.kind === 'candidacy') this.#busy.add(`${process} ${happening.group}`)
    if (happening.kind !== 'event') return
    const { name, payload } = happening
    const subject = readSubject(payload)
    if (subject === undefined) return
    const { group, kind, address } = subject
    const who = kind === 'sentinel' ? subject.name : this.#scene.nameOf(address)
    const key = `${process} ${group} ${who}`
    if (name === '-sdown') this.#backAtMs.set(key, atMs)
    if (name === '+slave' || name === '+sentinel') this.#metAtMs.set(key, atMs)
    if (name === '-slave' || name === '-sentinel') this.#metAtMs.delete(key)
    if (name === '+promoted-slave') this.#promoted.add(who)
    if (name === '+reset-master' || name === '-monitor') this.#forget(`${process} ${group} `)
  }

  idOf(sentinel: string): string | undefined {
    return this.#ids.get(sentinel)
  }

  isKnownSince(sentinel: string, group: string, { name }: Subject, sinceMs: number): boolean {
    const who = this.#ids.get(name) ?? name
    const metMs = this.#metAtMs.get(`${sentinel} ${group} ${who}`)
    const isFirst = this.#scene.group(group)?.master === name
    return isFirst || (metMs !== undefined && metMs <= sinceMs)
  }

  /** When the node was last found well again by this Sentinel. */
  backAtMs(sentinel: string, { name, group }: NodeSpec): number {
    return this.#backAtMs.get(`${sentinel} ${group} ${name}`) ?? 0
  }

  wasPromoted(node: string): boolean {
    return this.#promoted.has(node)
  }

  diedTwice(node: string): boolean {
    return (this.#deaths.get(node) ?? 0) > 1
  }

  isBusy(group: string): boolean {
    return [...this.#busy].some((key) => key.endsWith(` ${group}`))
  }

  #forget(prefix: string): void {
    for (const key of this.#metAtMs.keys()) if (key.startsWith(prefix)) this.#metAtMs.delete(key)
  }
}

/** Saving, and a few ways between two hosts. */
const NEWS_MS = 100
const WAYS = 4

/** Every Sentinel hears of a promotion at once, and not with the next periodic hello. */
export function newsTravels(scene: CheckerView): Checker {
  const promotions = new Map<string, { by: string; master: Address; atMs: number }>()
  return {
    name: 'news of a promotion travels at once',
    observe: (happening) => {
      const { process = '', atMs } = happening
      if (happening.kind === 'event' && happening.name === '+promoted-slave') {
        const subject = readSubject(happening.payload)
        if (subject === undefined) return undefined
        promotions.set(subject.group, { by: process, master: subject.address, atMs })
      }
      if (happening.kind !== 'view') return undefined
      const { group, master } = happening
      const news = promotions.get(group)
      if (news === undefined || news.by === process || placeOf(news.master) !== placeOf(master))
        return undefined
      const tookMs = atMs - news.atMs
      if (tookMs <= NEWS_MS + WAYS * scene.latencyMaxMs) return undefined
      const { troubles } = scene
      const sinceMs = news.atMs - INFO_MS
      const areCalm = troubles.isCalm(process, sinceMs) && troubles.isCalm(news.by, sinceMs)
      if (!areCalm || !troubles.isWayCalm(process, news.by, sinceMs)) return undefined
      return `${process} hears after ${tookMs} ms that ${news.by} has promoted ${scene.nameOf(master)}`
    },
  }
}
