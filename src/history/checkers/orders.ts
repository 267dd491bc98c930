/**
 * What Sentinels tell data nodes to do: replicas follow a new master a few at a time, and no Sentinel
 * takes back what another one has just done in a newer epoch.
 */

import type { Address } from '../../base/ip.ts'
import { isAbort } from '../../core/event-table.ts'
import { eventWords, type Happening } from '../happening.ts'
import type { Checker } from './checker.ts'
import type { CheckerView } from './checker-view.ts'
import { MasterClaims } from './master-claims.ts'
import { forgetEnded, forgetProcess, placeOf, readSubject, SentinelPast } from './sentinel-past.ts'

type Order = Happening & { readonly kind: 'order' }

/** One Sentinel's failover of one group, from the promotion to its end. */
interface Move {
  /** Where the master is that is being replaced. */
  readonly old: string
  /** Replicas that were told to follow the new master and do not follow it yet, by place. */
  readonly busy: Map<string, string>
}

/**
 * [parallel-syncs] No more replicas than that are on their way to the new master at once. A replica is on its
 * way from the order until its link is up, it is down, or its time is over.
 */
export function fewAtOnce(scene: CheckerView): Checker {
  const moves = new Map<string, Move>()
  const old = new Map<string, string>()
  const past = new SentinelPast()
  return {
    name: 'parallel-syncs holds',
    observe: (happening) => {
      past.note(happening)
      const { process } = happening
      if (happening.kind === 'role') settle(moves, happening)
      if (process === undefined) return undefined
      if (happening.kind === 'status' && happening.status === 'down') forgetProcess(moves, process)
      if (happening.kind === 'candidacy') {
        old.set(`${process} ${happening.group}`, placeOf(happening.master))
      }
      if (happening.kind === 'event') noteEvent(moves, old, happening)
      return happening.kind === 'order' ? tooMany(happening, moves, past, scene) : undefined
    },
  }
}

function noteEvent(
  moves: Map<string, Move>,
  old: ReadonlyMap<string, string>,
  { process, name, payload }: Happening & { readonly kind: 'event' },
): void {
  // Another Sentinel's promotion has overtaken it.
  if (name === '+switch-master') {
    moves.delete(`${process} ${eventWords('+switch-master', payload)?.group}`)
  }
  const subject = readSubject(payload)
  if (subject === undefined) return
  const key = `${process} ${subject.group}`
  if (name === '+failover-state-reconf-slaves') {
    moves.set(key, { old: old.get(key) ?? '', busy: new Map() })
  } else if (name === '+failover-end' || name === '+failover-end-for-timeout') moves.delete(key)
  else if (name === '-slave-reconf-sent-timeout' || name === '+slave-reconf-done') {
    moves.get(key)?.busy.delete(placeOf(subject.address))
  }
}

/** A node says that its link to its master is up. */
function settle(moves: Map<string, Move>, happening: Happening): void {
  if (happening.kind !== 'role' || happening.role.kind !== 'replica' || !happening.role.isLinkUp)
    return
  for (const { busy } of moves.values()) {
    for (const place of busy.keys()) if (busy.get(place) === happening.process) busy.delete(place)
  }
}

function tooMany(order: Order, moves: Map<string, Move>, past: SentinelPast, scene: CheckerView) {
  const { process = '', group, node, master } = order
  const move = moves.get(`${process} ${group}`)
  const { parallelSyncs: limit, replication } = scene.group(group) ?? {}
  // Until enough voters follow the new master, it answers no client: the voters are turned at once.
  if (replication === 'strict') return undefined
  if (move === undefined || master === undefined || limit === undefined) return undefined
  // The old master is no replica yet: it is told at once, if it has lost its data.
  if (placeOf(node) === move.old || scene.troubles.hasOtherRules(process)) return undefined
  move.busy.set(placeOf(node), scene.nameOf(node))
  const isDown = (place: string) =>
    past.nodeDownSinceMs(process, group, addressIn(place)) !== undefined
  const busy = [...move.busy].filter(([place]) => !isDown(place)).map(([, name]) => name)
  if (busy.length <= limit) return undefined
  return `${process} sends ${busy.join(', ')} to the new master of ${group} at once, and parallel-syncs is ${limit}`
}

function addressIn(place: string): Address {
  const colon = place.lastIndexOf(':')
  return { host: place.slice(0, colon), port: Number(place.slice(colon + 1)) }
}

/**
 * A master that came back without its data takes the writes of its clients until it is told to follow its successor:
 * at the moment of the promotion, and not when the failover ends. Judged where the leader has heard from the
 * master's new life, and so has a connection to it.
 */
export function emptiedMastersAreDemoted(scene?: CheckerView): Checker {
  const emptied = new MasterClaims('empty-master')
  const masters = new Map<string, { readonly place: string; readonly isPlanned: boolean }>()
  const reborn = new Set<string>()
  let due: { readonly process: string; readonly place: string; readonly atMs: number } | undefined
  return {
    name: 'an emptied master is demoted at once',
    observe: (happening) => {
      const { process = '', atMs } = happening
      const late = due !== undefined && atMs > due.atMs ? due : undefined
      if (late !== undefined) due = undefined
      emptied.note(happening)
      // The connection to that life is gone.
      if (happening.kind === 'status') forget(reborn, process, scene)
      if (happening.kind === 'candidacy') {
        const { group, master, isPlanned = false } = happening
        masters.set(`${process} ${group}`, { place: placeOf(master), isPlanned })
      }
      if (happening.kind === 'order' && due?.place === placeOf(happening.node)) due = undefined
      const subject = happening.kind === 'event' ? readSubject(happening.payload) : undefined
      if (happening.kind === 'event' && subject !== undefined) {
        const key = `${process} ${placeOf(subject.address)}`
        if (happening.name === '+reboot') reborn.add(key)
        const old = masters.get(`${process} ${subject.group}`)
        const isMeant = happening.name === '+promoted-slave' && old !== undefined && !old.isPlanned
        if (
          isMeant &&
          emptied.saysOfGroup(process, subject.group) &&
          reborn.has(`${process} ${old.place}`)
        ) {
          due = { process, place: old.place, atMs }
        }
      }
      return (
        late &&
        `${late.process} has promoted a replica and leaves ${late.place}, which has lost its data, a master`
      )
    },
  }
}

function forget(reborn: Set<string>, process: string, scene: CheckerView | undefined): void {
  const isNode = scene?.topology.nodes.some(({ name }) => name === process) === true
  const address = isNode ? scene?.addressOf(process) : undefined
  if (address === undefined) return
  for (const key of reborn) if (key.endsWith(` ${placeOf(address)}`)) reborn.delete(key)
}

/** Until this long after a promotion no other Sentinel may believe that it is a false one. */
const RESPECTED_MS = 6_000
/** So long a promotion may be news to a leader, which asks for INFO once a second, and to who turns a false master. */
const NEWS_MS = 1_500

interface Promotion {
  readonly by: string
  readonly group: string
  readonly epoch: number
  readonly atMs: number
}

/**
 * A replica that was promoted is not turned back by a Sentinel that only has not heard of it yet: it waits
 * until the news must have arrived.
 */
export function promotionsAreRespected(scene: CheckerView): Checker {
  const epochs = new Map<string, number>()
  const promotions = new Map<string, Promotion>()
  const moving = new Set<string>()
  const seen = new Set<string>()
  return {
    name: 'no Sentinel undoes a newer promotion',
    observe: (happening) => {
      const { process = '', atMs } = happening
      noteSeenMaster(seen, happening)
      if (happening.kind === 'candidacy')
        epochs.set(`${process} ${happening.group}`, happening.epoch)
      if (isEndOf(happening)) endOf(promotions, happening)
      noteMove(moving, happening)
      if (happening.kind !== 'order') return undefined
      const { group, node, master, configEpoch } = happening
      if (master === undefined) {
        const epoch = epochs.get(`${process} ${group}`) ?? 0
        promotions.set(placeOf(node), { by: process, group, epoch, atMs })
        return undefined
      }
      const promotion = promotions.get(placeOf(node))
      if (promotion === undefined || promotion.by === process) return undefined
      const ageMs = atMs - promotion.atMs
      if (configEpoch >= promotion.epoch || ageMs > RESPECTED_MS) return undefined
      const role = scene.roleOf(scene.nameOf(node))
      if (role?.role.kind !== 'master') return undefined
      // A leader turns the replicas of its failover without waiting, and anybody a node that was a false master before.
      const isBlind = moving.has(`${process} ${group}`) || role.sinceMs < promotion.atMs
      if (isBlind && ageMs < NEWS_MS) return undefined
      const isUnseen = !seen.has(`${process} ${placeOf(node)}`)
      if (isUnseen && atMs - role.sinceMs < NEWS_MS) return undefined
      return `${process}, in config epoch ${configEpoch} of ${group}, turns ${scene.nameOf(node)}, which ${promotion.by} promoted in epoch ${promotion.epoch}`
    },
  }
}

/**
 * Which nodes a Sentinel has seen to be masters, by INFO. What a node said before its promotion came over a connection
 * that the promotion closes, so an order that answers it is lost with the connection.
 */
function noteSeenMaster(seen: Set<string>, happening: Happening): void {
  if (happening.kind !== 'event') return
  const { process = '', name, payload } = happening
  if (name === '+switch-master') forgetProcess(seen, process)
  if (name !== '+role-change' && name !== '-role-change') return
  const subject = readSubject(payload)
  if (subject === undefined) return
  const key = `${process} ${placeOf(subject.address)}`
  if (payload.endsWith(' is master')) seen.add(key)
  else seen.delete(key)
}

/** Which Sentinels, by group, turn the replicas of a failover of their own. */
function noteMove(moving: Set<string>, happening: Happening): void {
  forgetEnded(moving, happening)
  if (happening.kind !== 'event' || happening.name !== '+failover-state-reconf-slaves') return
  moving.add(`${happening.process} ${readSubject(happening.payload)?.group}`)
}

function isEndOf(happening: Happening): boolean {
  if (happening.kind === 'status') return happening.status === 'down'
  if (happening.kind !== 'event') return false
  return isAbort(happening.name) || ['+config-update-from', '-monitor'].includes(happening.name)
}

/**
 * The leader has given up or died, an operator made it forget the group, or another Sentinel told it of a master before it
 * published its own.
 */
function endOf(promotions: Map<string, Promotion>, happening: Happening): void {
  const { process } = happening
  const group = happening.kind === 'event' ? readSubject(happening.payload)?.group : undefined
  for (const [place, { by, group: of }] of promotions) {
    if (by === process && (group === undefined || group === of)) promotions.delete(place)
  }
}
