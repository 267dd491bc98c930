/**
 * Fetches the journals of the data nodes of a group over the wire [BLACK-BOX]: of each, the segments that may hold
 * something of the time in question. What a node says is trusted as little as what a Sentinel says.
 */
import type { SegmentSource } from '../../io/blackbox/segment-reader.ts'
import type { SentinelLogin } from '../status/access.ts'
import type { Allowance } from '../status/asking.ts'
import {
  type MissingRecord,
  readList,
  readSegment,
  whyNoRecord,
  withClient,
} from './wire-records.ts'

const COMMAND = ['BLACK-BOX']
/** What one run fetches, from all nodes: journals are short. */
const FETCHED_MAX_BYTES = 64 * 1024 * 1024
/** The clocks of nodes, of Sentinels and our own disagree. */
const MARGIN_MS = 60 * 60_000

export interface FetchedJournals {
  readonly sources: readonly SegmentSource[]
  /** Nodes that give none, and why. */
  readonly missing: readonly MissingRecord[]
}

export async function fetchJournals(
  nodes: readonly string[],
  login: SentinelLogin,
  fromMs: number,
  untilMs: number,
): Promise<FetchedJournals> {
  const allowance = { leftBytes: FETCHED_MAX_BYTES }
  const all = await Promise.all(
    nodes.map((node) => fetchOne(node, login, allowance, fromMs - MARGIN_MS, untilMs + MARGIN_MS)),
  )
  return {
    sources: all.flatMap((one) => ('reason' in one ? [] : one)),
    missing: all.flatMap((one) => ('reason' in one ? [one] : [])),
  }
}

async function fetchOne(
  node: string,
  login: SentinelLogin,
  allowance: Allowance,
  fromMs: number,
  untilMs: number,
): Promise<readonly SegmentSource[] | MissingRecord> {
  try {
    return await withClient(node, login, allowance, async (client) => {
      const segments = readList(await client.call(...COMMAND, 'LIST'), Date.now())
      const sources: SegmentSource[] = []
      for (const segment of segments) {
        if (segment.untilMs < fromMs || segment.fromMs > untilMs) continue
        const content = await readSegment(client, segment, COMMAND)
        sources.push({ path: `${node}/${segment.name}`, content })
      }
      return sources
    })
  } catch (error) {
    const reason = whyNoRecord(error, login)
    const isStranger = /unknown command/i.test(reason)
    return { address: node, reason: isStranger ? 'its program keeps no journal' : reason }
  }
}
