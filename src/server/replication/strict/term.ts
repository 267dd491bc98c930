/**
 * What nodes and leaders of a strict group say of terms: which one, who the voters are, and where in the history a term
 * begins. As words of FENCE, of `REPLCONF sync-term` and its answer, of INFO and of the file.
 */
import { hostAndPort, parseHostAndPort } from '../../../base/ip.ts'

/** The epoch of the Sentinel that fenced, and its run id: two leaders never share a term. */
export interface Term {
  readonly number: number
  readonly leader: string
}

/** What a leader says of its group, the same in every term. */
export interface Layout {
  /** How many voters beside the master must have a write. */
  readonly replicas: number
  readonly reads: string
  /** Their addresses as `host:port` or `[host]:port`, in one form (base/ip.ts), sorted. */
  readonly voters: readonly string[]
}

export interface KeptTerm extends Term {
  /** The node has been in a term, as its master or following one: it may have acknowledged. */
  readonly hasJoined: boolean
  /** Undefined: no leader has said. */
  readonly layout: Layout | undefined
}

export const NO_TERM: KeptTerm = { number: 0, leader: '', hasJoined: false, layout: undefined }

/** A term begins in the history with the byte at this offset. */
export interface TermMark {
  readonly term: number
  readonly from: number
}

/** A Sentinel learns a term that is twice as far ahead of it (core/election/epoch.ts), and none beyond that. */
export const FORCED_STEP_MAX = 2 ** 31

/**
 * A leader's term may be so far ahead of this node: strangers can drive Sentinels far in years, and such a group must go
 * on. Sentinels learn from a voter a term twice as far ahead, so no fence that is taken keeps them out for good.
 */
export const FENCED_STEP_MAX = 2 ** 39

/** A number and a run id or another word; undefined: they are none. */
export function parseTerm([number = '', leader = '']: readonly string[]): Term | undefined {
  if (!/^\d{1,16}$/.test(number) || !/^[\w.-]{0,64}$/.test(leader)) return undefined
  const value = Number(number)
  return Number.isSafeInteger(value) ? { number: value, leader } : undefined
}

export function isSame(a: Term, b: Term): boolean {
  return a.number === b.number && a.leader === b.leader
}

/** Two leaders in one term: one of them had no right to it. */
export function isOther(a: Term, b: Term): boolean {
  return a.number === b.number && a.leader !== b.leader
}

/** As one word. */
export function layoutText({ replicas, reads, voters }: Layout): string {
  return [replicas, reads, ...voters].join('|')
}

/** For INFO. */
export function layoutLines(layout: Layout | undefined): string[] {
  return [
    `sync_voters:${layout?.voters.join(' ') ?? ''}`,
    `sync_write_quorum:${layout === undefined ? 0 : layout.replicas + 1}`,
  ]
}

export function parseLayout(text: string): Layout | undefined {
  const [replicas = '', reads = '', ...voters] = text.split('|')
  if (!/^\d{1,2}$/.test(replicas) || (reads !== 'normal' && reads !== 'linearizable'))
    return undefined
  return { replicas: Number(replicas), reads, voters: voters.map(comparable).sort() }
}

function comparable(voter: string): string {
  const address = parseHostAndPort(voter)
  return address === undefined ? voter : hostAndPort(address.host, address.port)
}

export function hasSameVoters(a: Layout, b: Layout): boolean {
  return a.replicas === b.replicas && a.voters.join(' ') === b.voters.join(' ')
}

/** What a master says of its term, and how far its history is. */
type Introduction = Term &
  Pick<KeptTerm, 'layout'> & { readonly marks: readonly TermMark[]; readonly offset: number }

export function introductionText(
  { number, leader, layout }: KeptTerm,
  offset: number,
  marks: readonly TermMark[],
): string {
  const group = layout === undefined ? '-' : layoutText(layout)
  const places = marks.map(({ term, from }) => `${term}:${from}`).join(',')
  return `TERM ${number} ${leader} ${offset} ${group} ${places}`
}

export function parseIntroduction(text: string): Introduction | undefined {
  const [word, number = '', leader = '', offset = '', group = '', marks = ''] = text.split(' ')
  const term = parseTerm([number, leader])
  if (word !== '+TERM' || term === undefined || !/^\d{1,16}$/.test(offset)) return undefined
  if (!/^(\d{1,16}:\d{1,16},?)+$/.test(marks)) return undefined
  const places = marks.split(',').map((mark) => {
    const [one = 0, from = 0] = mark.split(':').map(Number)
    return { term: one, from }
  })
  return { ...term, offset: Number(offset), layout: parseLayout(group), marks: places }
}
