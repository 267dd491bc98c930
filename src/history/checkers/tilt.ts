/**
 * TILT, from both sides: a Sentinel in TILT decides nothing, and it is in TILT when its clock
 * jumped or it hung, for as long as TILT takes and no longer.
 */
import type { Happening, HeardEvent } from '../happening.ts'
import type { Checker } from './checker.ts'
import type { CheckerView } from './checker-view.ts'

/** How long TILT lasts, and how large a jump or stall must be to cause it. */
const TILT_MS = 30_000
const TRIGGER_MS = 2_000
/** Comparing the clocks takes a heartbeat, and clocks may run fast or slow. */
const NOTICE_MS = 1_000
const LEAVE_SLACK_MS = 3_000
const DRIFT_MAX = 1.5
/** A Sentinel that saves hears nothing before the last request to its disk is done. */
const SAVE_STEPS = 4

const DECISIONS: ReadonlySet<HeardEvent> = new Set(['+sdown', '-sdown', '+odown', '-odown'])

/**
 * A Sentinel in TILT declares no instance down (or up again), starts no failover and continues
 * none, and tells no other Sentinel that a master is down or refuses it.
 */
export function tiltIsIdle(): Checker {
  const tilted = new Set<string>()
  return {
    name: 'no decision in TILT',
    observe: (happening) => {
      const { process } = happening
      if (process === undefined) return undefined
      if (happening.kind === 'status' && happening.status === 'down') tilted.delete(process)
      if (happening.kind === 'event') noteTilt(tilted, process, happening.name)
      if (!tilted.has(process)) return undefined
      const decision = decisionIn(happening)
      return decision === undefined ? undefined : `${process} in TILT: ${decision}`
    },
  }
}

function noteTilt(tilted: Set<string>, process: string, name: HeardEvent): void {
  if (name === '+tilt') tilted.add(process)
  else if (name === '-tilt') tilted.delete(process)
}

function decisionIn(happening: Happening): string | undefined {
  if (happening.kind === 'event') return DECISIONS.has(happening.name) ? happening.name : undefined
  if (happening.kind === 'candidacy' && !isPlanned(happening)) return 'stands for election'
  if (happening.kind === 'selection') return 'chooses a replica'
  if (happening.kind === 'order') return 'turns a node'
  if (happening.kind === 'opinion') {
    return happening.says === 'down' ? 'tells that a master is down' : 'tells that it is refused'
  }
  return undefined
}

/** A Sentinel obeys an operator in TILT, too. */
function isPlanned(candidacy: Happening & { readonly kind: 'candidacy' }): boolean {
  return candidacy.forced || candidacy.isPlanned === true
}

interface Vigil {
  /** When the last cause, or the last `+tilt`, was. */
  tiltedAtMs: number | undefined
  /** The time by which TILT must have begun. */
  tiltDueMs: number | undefined
  haltedAtMs: number | undefined
  jumpedAtMs: number
  hasDrifted: boolean
  /** How long a save may have taken. */
  savingMs: number
}

/** A cause leads into TILT, nothing else does, and TILT ends if no new cause follows. */
export function tiltHasItsTime(scene: CheckerView): Checker {
  const vigils = new Map<string, Vigil>()
  for (const { name } of scene.topology.sentinels) vigils.set(name, newVigil())
  return {
    name: 'TILT begins and ends in time',
    observe: (happening) => {
      for (const [name, vigil] of vigils) noteFault(vigil, name, happening, scene)
      const vigil = vigils.get(happening.process ?? '')
      return vigil === undefined ? undefined : noteOwn(vigil, happening, scene)
    },
    elapsed: (nowMs) => {
      const late = [...vigils].map(([name, vigil]) => overdue(vigil, name, nowMs))
      return late.find((text) => text !== undefined)
    },
  }
}

function newVigil(): Vigil {
  return {
    tiltedAtMs: undefined,
    tiltDueMs: undefined,
    haltedAtMs: undefined,
    jumpedAtMs: Number.NEGATIVE_INFINITY,
    hasDrifted: false,
    savingMs: 0,
  }
}

function noteFault(vigil: Vigil, name: string, happening: Happening, scene: CheckerView): void {
  if (happening.kind !== 'fault') return
  const { action, atMs } = happening
  if (action?.kind === 'clockDrift' && action.process === name) vigil.hasDrifted = true
  if (action?.kind === 'diskDelay' && action.process === name)
    vigil.savingMs = Math.max(vigil.savingMs, SAVE_STEPS * action.byMs)
  if (action?.kind !== 'clockJump' || action.process !== name) return
  // Two jumps between two comparisons of the clocks may cancel each other out, and a sleeping
  // process sees only their sum.
  const isSeen = atMs - vigil.jumpedAtMs > NOTICE_MS && scene.runsSinceMs(name) !== undefined
  vigil.jumpedAtMs = atMs
  if (!isSeen) vigil.tiltDueMs = undefined
  else if (Math.abs(action.byMs) > TRIGGER_MS * DRIFT_MAX)
    vigil.tiltDueMs = atMs + NOTICE_MS + vigil.savingMs
}

function noteOwn(vigil: Vigil, happening: Happening, scene: CheckerView): string | undefined {
  const { atMs, process = '' } = happening
  if (happening.kind === 'status') noteStatus(vigil, happening)
  if (happening.kind !== 'event') return overdue(vigil, process, atMs)
  if (happening.name === '-tilt') vigil.tiltedAtMs = undefined
  if (happening.name !== '+tilt') return overdue(vigil, process, atMs)
  vigil.tiltedAtMs = atMs
  vigil.tiltDueMs = undefined
  const isUncalled = scene.troubles.isCalm(process, atMs - NOTICE_MS)
  return isUncalled ? `${process} enters TILT without a cause` : undefined
}

function noteStatus(vigil: Vigil, { atMs, status }: Happening & { readonly kind: 'status' }): void {
  const { haltedAtMs } = vigil
  if (status === 'paused') vigil.haltedAtMs = atMs
  else if (status === 'down' || haltedAtMs === undefined) {
    const { hasDrifted, savingMs } = vigil
    Object.assign(vigil, { ...newVigil(), hasDrifted, savingMs })
  } else {
    vigil.haltedAtMs = undefined
    const isCalled = vigil.tiltDueMs !== undefined || atMs - haltedAtMs > TRIGGER_MS * DRIFT_MAX
    vigil.tiltDueMs = isCalled ? atMs + NOTICE_MS + vigil.savingMs : undefined
    if (vigil.tiltedAtMs !== undefined) vigil.tiltedAtMs = atMs
  }
}

function overdue(vigil: Vigil, process: string, nowMs: number): string | undefined {
  const { tiltDueMs, tiltedAtMs, haltedAtMs, hasDrifted } = vigil
  if (haltedAtMs !== undefined) return undefined
  if (tiltDueMs !== undefined && nowMs > tiltDueMs) {
    vigil.tiltDueMs = undefined
    return `${process} is not in TILT although its clock jumped or it hung`
  }
  const longestMs = TILT_MS * (hasDrifted ? DRIFT_MAX : 1) + LEAVE_SLACK_MS
  if (tiltedAtMs === undefined || nowMs - tiltedAtMs <= longestMs) return undefined
  vigil.tiltedAtMs = undefined
  return `${process} is in TILT for more than ${longestMs} ms`
}
