/**
 * The time of a data node's journal, in the common time of the Sentinels (common-time.ts). A node that answers INFO
 * reads its wall clock between the question and the answer, and it obeys SLAVEOF between the order and the INFO that
 * follows it: each such exchange bounds the difference of the clocks, to within a round trip. If the records hold
 * none, the node's own wall clock is believed.
 */
import type { JournalEntry, JournalHead } from '../../journal/entry-text.ts'
import type { ClockTie } from './common-time.ts'
import type { SentinelLife } from './life.ts'
import type { RoleOrder } from './node-talk.ts'

/** What one run of a process put on record of itself. */
export interface NodeLife {
  readonly head: JournalHead
  /** In the order in which they were written. */
  readonly entries: readonly JournalEntry[]
}

export interface NodeTie extends ClockTie {
  /** As the Sentinels know the node; otherwise as it calls itself. */
  readonly address: string
}

type Ties = ReadonlyMap<SentinelLife, ClockTie>

/** Common time minus monotonic time of the node is in it. */
interface Bounds {
  readonly low: number
  readonly high: number
}

export function nodeTime(node: NodeLife, lives: Ties): NodeTie {
  const told = [...lives].flatMap(([life, tie]) =>
    life.nodeTalk.clocks
      .filter(({ runId }) => runId === node.head.runId)
      .map((one) => ({ ...one, tie })),
  )
  const address = told[0]?.address ?? node.head.address
  const samples = told.map(({ wallMs, sentAtMs, answeredAtMs, tie }): Bounds => {
    const monoMs = wallMs - aheadAt(node, wallMs)
    const { offsetMs } = tie
    return { low: offsetMs + sentAtMs - monoMs, high: offsetMs + answeredAtMs - monoMs }
  })
  const known = narrowest(samples)
  const obeyed = known === undefined ? [] : ordersObeyed(node, address, lives, known)
  const bounds = narrowest([...samples, ...obeyed])
  const { now } = node.entries.at(-1) ?? node.head
  const wallOffset = now.wallMs - now.monoMs
  if (bounds === undefined)
    return { address, offsetMs: wallOffset, aheadMs: 0, withinMs: undefined }
  const offsetMs = Math.round((bounds.low + bounds.high) / 2)
  // Clocks are read to the millisecond.
  const withinMs = Math.max(1, Math.ceil((bounds.high - bounds.low) / 2))
  return { address, offsetMs, aheadMs: wallOffset - offsetMs, withinMs }
}

/** All of them hold; where clocks were set meanwhile they contradict each other, and the narrowest counts. */
function narrowest(bounds: readonly Bounds[]): Bounds | undefined {
  if (bounds.length === 0) return undefined
  const low = Math.max(...bounds.map((one) => one.low))
  const high = Math.min(...bounds.map((one) => one.high))
  if (low <= high) return { low, high }
  return [...bounds].sort((one, other) => one.high - one.low - (other.high - other.low))[0]
}

/** How far the wall clock was ahead of the monotonic one when it showed this. */
function aheadAt({ head, entries }: NodeLife, wallMs: number): number {
  const { now } = entries.findLast((one) => one.now.wallMs <= wallMs) ?? entries[0] ?? head
  return now.wallMs - now.monoMs
}

/** Of the orders that the node says it has carried out, those that can be meant. */
function ordersObeyed(
  { entries }: NodeLife,
  address: string,
  lives: Ties,
  { low, high }: Bounds,
): readonly Bounds[] {
  const orders = [...lives].flatMap(([{ nodeTalk }, { offsetMs }]) =>
    nodeTalk.orders.filter((one) => one.address === address).map((one) => ({ one, offsetMs })),
  )
  return entries.flatMap(({ now: { monoMs }, event }) => {
    if (event?.kind !== 'master' && event?.kind !== 'replica') return []
    const master = event.kind === 'master' ? 'no one' : event.of
    return orders.flatMap(({ one, offsetMs }): Bounds[] => {
      const bounds = boundsOf(one, offsetMs, monoMs)
      const isMeant = one.master === master && bounds.low <= high && bounds.high >= low
      return isMeant && event.why.startsWith('REPLICAOF') ? [bounds] : []
    })
  })
}

function boundsOf({ sentAtMs, answeredAtMs }: RoleOrder, offsetMs: number, monoMs: number): Bounds {
  const high = answeredAtMs === undefined ? Number.POSITIVE_INFINITY : answeredAtMs - monoMs
  return { low: offsetMs + sentAtMs - monoMs, high: offsetMs + high }
}
