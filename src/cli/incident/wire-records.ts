/**
 * Fetches the records of all Sentinels of a group over the wire [SENTINEL BLACK-BOX]: only as much of them as
 * the question takes, the newest segments first. What a Sentinel says is not trusted: names, sizes and moments
 * have bounds, and the records are read like files of others.
 */

import type { SegmentSource } from '../../io/blackbox/segment-reader.ts'
import { reasonOf } from '../../io/start-error.ts'
import { connect, type SentinelLogin } from '../status/access.ts'
import {
  type Allowance,
  type Asking,
  listOf,
  printable,
  type ReplyValue,
} from '../status/asking.ts'
import { withGrant } from '../status/grant.ts'
import { isVedette, type SentinelAnswer } from '../status/view.ts'

/** As it is in the list of a Sentinel; moments are told by our own clock. */
export interface ListedSegment {
  readonly name: string
  readonly bytes: number
  /** The segment before it ended then, so it can hold nothing older; 0 for the oldest. */
  readonly fromMs: number
  readonly untilMs: number
}

export interface ListedRecord {
  /** `host:port` of the Sentinel. */
  readonly address: string
  /** How far its clock is ahead of ours. */
  readonly aheadMs: number
  readonly segments: readonly ListedSegment[]
}

/** A Sentinel of which there is no record, and why. */
export interface MissingRecord {
  readonly address: string
  readonly reason: string
}

const SENTINEL_COMMAND = ['SENTINEL', 'BLACK-BOX']

/** No record has so many: its size is bounded, and a segment has 64 KB at least. */
const MOST_SEGMENTS = 100_000
/** Small enough for a slow line, which has three seconds for each answer. */
const PIECE_BYTES = 256 * 1024
/** What one run fetches, from all Sentinels. */
const FETCHED_MAX_BYTES = 1024 * 1024 * 1024

export class WireRecords {
  readonly records: readonly ListedRecord[]
  readonly missing: MissingRecord[]
  readonly #access: SentinelLogin
  readonly #allowance: Allowance
  readonly #fetched = new Map<string, Buffer>()

  private constructor(
    listed: readonly (ListedRecord | MissingRecord)[],
    access: SentinelLogin,
    allowance: Allowance,
  ) {
    this.records = listed.filter((one) => 'segments' in one)
    this.missing = listed.filter((one) => 'reason' in one)
    this.#access = access
    this.#allowance = allowance
  }

  /** Asks each of the Sentinels which segments it has. */
  static async list(
    sentinels: readonly SentinelAnswer[],
    access: SentinelLogin,
  ): Promise<WireRecords> {
    const allowance = { leftBytes: FETCHED_MAX_BYTES }
    const listed = await Promise.all(sentinels.map((one) => listOne(one, access, allowance)))
    return new WireRecords(listed, access, allowance)
  }

  /**
   * The segments that may hold something between two moments, those of each Sentinel in their order. A
   * Sentinel that does not give them joins those of which there is no record.
   */
  async between(fromMs: number, untilMs: number): Promise<readonly SegmentSource[]> {
    const all = await Promise.all(
      this.records.map(async ({ address, segments, aheadMs }) => {
        const wanted = segments.filter((one) => one.untilMs >= fromMs && one.fromMs <= untilMs)
        const sources = await this.#fetch(address, wanted)
        return sources.map((one) => ({ ...one, aheadMs }))
      }),
    )
    return all.flat()
  }

  /**
   * From which moment on each of the Sentinels has at most so many segments; 0 if no Sentinel has more.
   */
  beginningOfLast(count: number): number {
    return Math.min(...this.records.map(({ segments }) => segments.at(-count)?.fromMs ?? 0))
  }

  /** When the last of them was written to, by our own clock; minus infinity if there is none. */
  get endMs(): number {
    const ends = this.records.flatMap(({ segments }) => segments.at(-1)?.untilMs ?? [])
    return Math.max(...ends)
  }

  async #fetch(
    address: string,
    segments: readonly ListedSegment[],
  ): Promise<readonly SegmentSource[]> {
    const missing = segments.filter(({ name }) => !this.#fetched.has(`${address}/${name}`))
    if (missing.length > 0 && this.missing.every((one) => one.address !== address)) {
      const get = (client: Asking) => this.#readAll(client, address, missing)
      await withClient(address, this.#access, this.#allowance, get).catch((error: unknown) => {
        this.missing.push({ address, reason: whyNoRecord(error, this.#access) })
      })
    }
    return segments.flatMap(({ name }) => {
      const path = `${address}/${name}`
      const content = this.#fetched.get(path)
      return content === undefined ? [] : [{ path, content }]
    })
  }

  async #readAll(
    client: Asking,
    address: string,
    segments: readonly ListedSegment[],
  ): Promise<void> {
    for (const segment of segments)
      this.#fetched.set(`${address}/${segment.name}`, await readSegment(client, segment))
  }
}

async function listOne(
  sentinel: SentinelAnswer,
  access: SentinelLogin,
  allowance: Allowance,
): Promise<ListedRecord | MissingRecord> {
  const { address } = sentinel
  if (!isVedette(sentinel)) {
    const reason = `${sentinel.program || 'it'} keeps no record: only a Vedette Sentinel does`
    return { address, reason }
  }
  try {
    return await withClient(address, access, allowance, async (client) => {
      const answer = await client.call(...SENTINEL_COMMAND, 'LIST')
      const nowMs = Date.now()
      return { address, aheadMs: aheadOf(answer, nowMs), segments: readList(answer, nowMs) }
    })
  } catch (error) {
    return { address, reason: whyNoRecord(error, access) }
  }
}

/** In the words of the one that was asked; a missing right with the rule that grants it. */
export function whyNoRecord(error: unknown, { user }: SentinelLogin): string {
  return withGrant(reasonOf(error).replace(/^NORECORD /, ''), user)
}

/** How far the clock of the Sentinel that gave the list is ahead; 0: it does not say. */
function aheadOf(answer: ReplyValue, nowMs: number): number {
  const [, wallMs] = listOf(answer)
  return typeof wallMs === 'number' ? wallMs - nowMs : 0
}

/** Throws an error if the list has another shape. */
export function readList(answer: ReplyValue, nowMs: number): readonly ListedSegment[] {
  const [, wallMs, , segments] = listOf(answer)
  const isBad = typeof wallMs !== 'number' || !Array.isArray(segments)
  if (isBad || segments.length > MOST_SEGMENTS)
    throw new Error('it lists its record in a wrong form')
  const aheadMs = aheadOf(answer, nowMs)
  let fromMs = 0
  return segments.map((one) => {
    const [name, bytes, writtenAtMs] = listOf(one)
    const isNamed = typeof name === 'string' && /^\d{8}\.vbb$/.test(name)
    if (!isNamed || typeof bytes !== 'number' || typeof writtenAtMs !== 'number')
      throw new Error(`it lists a segment in a wrong form: ${printable(String(name))}`)
    const untilMs = writtenAtMs - aheadMs
    // The clock may have been set back since the segment before was written.
    const segment = { name, bytes, fromMs: Math.min(fromMs, untilMs), untilMs }
    fromMs = untilMs
    return segment
  })
}

/** `command`: before LIST and READ. */
export async function readSegment(
  client: Asking,
  { name, bytes }: ListedSegment,
  command: readonly string[] = SENTINEL_COMMAND,
): Promise<Buffer> {
  const pieces: Buffer[] = []
  for (let offset = 0; offset < bytes; ) {
    const words = [name, String(offset), String(PIECE_BYTES)]
    const piece = await client.call(...command, 'READ', ...words)
    if (typeof piece !== 'string') throw new Error(`it gives no piece of ${name}`)
    if (piece === '') break
    pieces.push(Buffer.from(piece, 'latin1'))
    offset += piece.length
  }
  return Buffer.concat(pieces)
}

export async function withClient<Answer>(
  address: string,
  access: SentinelLogin,
  allowance: Allowance,
  ask: (client: Asking) => Promise<Answer>,
): Promise<Answer> {
  const client = connect(address, access, allowance)
  try {
    await client.open()
    return await ask(client)
  } catch (error) {
    throw new Error(reasonOf(error))
  } finally {
    client.disconnect()
  }
}
