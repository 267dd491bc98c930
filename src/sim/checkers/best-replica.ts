/**
 * The replica a leader chooses may be promoted, and no other one would have been better: a lower
 * priority, more of the stream, a smaller run id. It is judged by how the nodes really stand. What a
 * leader cannot know is not held against it: only replicas count as better that nothing has kept from
 * it for long, and offsets only where they have not moved for a while.
 */
import type { Address, Happening, Standing } from '../happening.ts'
import type { Checker } from './checker.ts'
import { Emptied } from './emptied.ts'
import type { Scene } from './scene.ts'

type Selection = Happening & { readonly kind: 'selection' }

/** A leader has asked everybody in that time, at the latest. */
const INFO_MS = 12_000
/** An offset that has stood still for so long is known to the leader that has just asked for it. */
const STILL_MS = 2_000
const PING_SLACK_MS = 2_000
/** Beyond this, answers may come too late for a choice. */
const LATENCY_MAX_MS = 40

export function bestReplica(scene: Scene): Checker {
  const emptied = new Emptied()
  return {
    name: 'the best replica is promoted',
    observe: (happening) => {
      emptied.note(happening)
      if (happening.kind !== 'selection' || happening.process === undefined) return undefined
      const chosen = happening.standings.find(({ address }) => isSame(address, happening.chosen))
      if (chosen === undefined) return undefined
      // After an emptied master whoever says that it has the data goes before all others.
      const isOrdinary = !emptied.saysOfGroup(happening.process, happening.group)
      const better = isOrdinary ? betterThan(chosen, happening, scene) : undefined
      const found = flawOf(chosen, happening, scene) ?? better
      return found === undefined ? undefined : `${happening.process} chose ${chosen.node}: ${found}`
    },
  }
}

function flawOf(chosen: Standing, selection: Selection, scene: Scene): string | undefined {
  const { atMs, process = '', group } = selection
  // A priority that was set a moment ago may not be known.
  const isSettled = scene.troubles.isCalm(chosen.node, atMs - INFO_MS)
  if (chosen.priority === 0 && isSettled) return 'it has priority 0'
  const haltedMs = scene.haltedSinceMs(chosen.node)
  const watchingMs = scene.runsSinceMs(process)
  const downAfterMs = scene.group(group)?.downAfterMs
  if (haltedMs === undefined || watchingMs === undefined || downAfterMs === undefined) {
    return undefined
  }
  const knownMs = Math.max(haltedMs, watchingMs) + downAfterMs + PING_SLACK_MS
  const isWatched = scene.troubles.isCalm(process, atMs - downAfterMs - PING_SLACK_MS)
  return isWatched && atMs > knownMs ? 'it has been down for long' : undefined
}

function betterThan(chosen: Standing, selection: Selection, scene: Scene): string | undefined {
  const { known, standings } = selection
  if (!isInView(chosen, selection, scene) || isHeir(chosen, selection, scene)) return undefined
  const others = standings.filter(
    (other) => other !== chosen && known.some((address) => isSame(address, other.address)),
  )
  const rivals = others.filter((other) => isEligible(other, selection, scene))
  for (const rival of rivals) {
    const merit = meritOver(chosen, rival, selection, scene)
    if (merit !== undefined) return `${rival.node} ${merit}`
  }
  return undefined
}

/** A master already, which the master on record follows: it has handed over, and to nobody else. */
function isHeir(chosen: Standing, { known, standings }: Selection, scene: Scene): boolean {
  if (scene.roleOf(chosen.node)?.role.kind !== 'master') return false
  return standings.some(({ node, address }) => {
    const role = scene.roleOf(node)?.role
    if (role?.kind !== 'replica' || known.some((one) => isSame(one, address))) return false
    return isSame(role.master, chosen.address)
  })
}

/** What makes the rival the better choice; undefined when nothing does, or nobody can be sure. */
function meritOver(chosen: Standing, rival: Standing, { atMs }: Selection, scene: Scene) {
  if (rival.priority !== chosen.priority) {
    if (rival.priority > chosen.priority) return undefined
    return `has priority ${rival.priority}, not ${chosen.priority}`
  }
  if (!isStill(chosen, atMs, scene) || !isStill(rival, atMs, scene)) return undefined
  if (rival.offset !== chosen.offset) {
    if (rival.offset < chosen.offset) return undefined
    return `is at offset ${rival.offset}, not ${chosen.offset}`
  }
  return rival.runId < chosen.runId ? 'is as good and has the smaller run id' : undefined
}

/** The leader has had no reason to pass it over. */
function isEligible(rival: Standing, selection: Selection, scene: Scene): boolean {
  if (!rival.isReplica || rival.priority === 0) return false
  if (!isInView(rival, selection, scene)) return false
  const linkedAtMs = scene.linkedAtMs(rival.node, selection.atMs)
  const downAfterMs = scene.group(selection.group)?.downAfterMs
  if (linkedAtMs === undefined || downAfterMs === undefined) return false
  return selection.atMs - linkedAtMs < 9 * downAfterMs
}

/** Nothing has been between the leader and this node for longer than it takes to learn all of it. */
function isInView({ node }: Standing, { atMs, process = '', group }: Selection, scene: Scene) {
  const downAfterMs = scene.group(group)?.downAfterMs ?? 0
  const sinceMs = atMs - Math.max(INFO_MS, downAfterMs + PING_SLACK_MS)
  const { troubles } = scene
  if (scene.latencyMaxMs > LATENCY_MAX_MS) return false
  if (!troubles.isCalm(process, sinceMs) || !troubles.isCalm(node, sinceMs)) return false
  return troubles.isWayCalm(process, node, sinceMs)
}

/** Its stream ended some time ago, so that its offset is what the leader was told. */
function isStill(one: Standing, atMs: number, scene: Scene): boolean {
  if (one.isLinkUp) return false
  const linkedAtMs = scene.linkedAtMs(one.node, atMs)
  return linkedAtMs !== undefined && atMs - linkedAtMs > STILL_MS
}

function isSame(a: Address, b: Address): boolean {
  return a.host === b.host && a.port === b.port
}
