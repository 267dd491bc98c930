/**
 * What clients that share their keys ask. Keys belong to a span of time: all clients fight for the few keys of
 * the present span, and look now and then at those of an earlier one, which may have been promised by
 * another master. So each key has a short history of its own, and an order of it is soon found.
 *
 * Now and then a client changes a key only if nobody else did: it watches the key, reads it, and then asks for a
 * transaction, with its usual pause before each of these, so that others come in between.
 */
import type { Rng } from '../../base/rng.ts'
import type { Argv, DataRequest } from '../data/requests.ts'

export interface SharedDrawing {
  readonly rng: Rng
  /** A text that no other request uses. */
  readonly unique: string
  readonly nowMs: number
  /** No other request of the client waits for its answer, so that nothing comes between a watch and its end. */
  readonly isAlone: boolean
}

/** Two seconds of four clients are some dozens of requests. */
const SPAN_MS = 2_000
const EARLIER_ONE_IN = 5
const EARLIER_MAX = 6
const TOGETHER_ONE_IN = 7
/** Among requests with several commands, one in this many is a script. */
const SCRIPT_ONE_IN = 3
const TOGETHER_MAX = 4
/** Shorter than the patience of clients. */
const BLOCKED_S = '0.2'

type Draw = (drawing: SharedDrawing, span: number) => Argv

/** Two keys of the kinds that are asked most: more would be fought for less. */
const DRAWS: readonly (readonly [weight: number, draw: Draw])[] = [
  [5, ({ rng, unique }, span) => ['SET', keyOf('r', rng.below(2), span), unique]],
  [5, ({ rng }, span) => ['GET', keyOf('r', rng.below(2), span)]],
  [5, (_drawing, span) => ['INCR', keyOf('c', 0, span)]],
  [2, (_drawing, span) => ['GET', keyOf('c', 0, span)]],
  [5, ({ unique }, span) => ['RPUSH', keyOf('l', 0, span), unique]],
  [3, (_drawing, span) => ['LRANGE', keyOf('l', 0, span), '0', '-1']],
  [2, ({ unique }, span) => ['RPUSH', keyOf('q', 0, span), unique]],
  [2, (_drawing, span) => ['LPOP', keyOf('q', 0, span)]],
  [3, ({ unique }, span) => ['SET', keyOf('k', 0, span), unique, 'NX']],
  [2, (_drawing, span) => ['DEL', keyOf('k', 0, span)]],
]
const LOTS: readonly Draw[] = DRAWS.flatMap(([weight, draw]) => Array<Draw>(weight).fill(draw))

const BLOCKING_ONE_IN = 30

const WATCH_ONE_IN = 12
/** What is watched, and what is done to it if nobody else was faster. */
const WATCHED: readonly (readonly [kind: string, change: (key: string, unique: string) => Argv])[] =
  [
    ['r0', (key, unique) => ['SET', key, unique]],
    ['r1', (key, unique) => ['SET', key, unique]],
    ['c0', (key) => ['INCR', key]],
    ['l0', (key, unique) => ['RPUSH', key, unique]],
    ['q0', (key) => ['LPOP', key]],
    ['k0', (key) => ['DEL', key]],
    ['k0', (key, unique) => ['SET', key, unique, 'NX']],
  ]

/** One request, or several of which each waits for the answer to the one before. */
export function drawSharedRequests(drawing: SharedDrawing): readonly DataRequest[] {
  const { rng, isAlone } = drawing
  const span = drawSpan(drawing)
  if (isAlone && rng.chance(1, WATCH_ONE_IN)) return drawWatch(drawing, span)
  return [drawSharedRequest(drawing, span)]
}

function drawWatch({ rng, unique, ...drawing }: SharedDrawing, span: number): DataRequest[] {
  const [kind, change] = rng.pick(WATCHED)
  const key = `shared:${span}:${kind}`
  const watched = { key, token: unique }
  const others = rng.chance(1, 3)
    ? [rng.pick(LOTS)({ ...drawing, rng, unique: `${unique}.1` }, span)]
    : []
  return [
    { commands: [['WATCH', key]], form: 'command', watched },
    { commands: [lookAtShared(key)], form: 'command' },
    { commands: [change(key, unique), ...others], form: 'transaction', watched },
  ]
}

function drawSharedRequest(drawing: SharedDrawing, span: number): DataRequest {
  const { rng } = drawing
  if (rng.chance(1, BLOCKING_ONE_IN)) {
    return { commands: [['BLPOP', keyOf('q', 0, span), BLOCKED_S]], form: 'command' }
  }
  if (!rng.chance(1, TOGETHER_ONE_IN)) {
    return { commands: [rng.pick(LOTS)(drawing, span)], form: 'command' }
  }
  const form = rng.chance(1, SCRIPT_ONE_IN) ? 'script' : 'transaction'
  const commands = Array.from({ length: 2 + rng.below(TOGETHER_MAX - 1) }, (_, at) =>
    rng.pick(LOTS)({ ...drawing, unique: `${drawing.unique}.${at}` }, span),
  )
  return { commands, form }
}

function drawSpan({ rng, nowMs }: SharedDrawing): number {
  const span = Math.floor(nowMs / SPAN_MS)
  return rng.chance(1, EARLIER_ONE_IN) ? span - 1 - rng.below(EARLIER_MAX) : span
}

function keyOf(kind: string, number: number, span: number): string {
  return `shared:${span}:${kind}${number}`
}

/** What is at a key of such clients, whatever its kind. */
export function lookAtShared(key: string): Argv {
  return /:[lq]\d+$/.test(key) ? ['LRANGE', key, '0', '-1'] : ['GET', key]
}
