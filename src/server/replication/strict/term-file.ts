/**
 * What a node of a strict group must not forget: the highest term it has heard of, whether it has
 * ever been in one, and which nodes are the voters. It is on disk before the node tells it, like the vote of
 * a Sentinel: a node that forgot a fence could acknowledge a write to a master that has been replaced.
 *
 * The position in the history is not in it. A process that ends loses what it had in memory, so a
 * restarted node is no voter before it has caught up, see strict.ts.
 */
import { hostAndPort, parseHostAndPort } from '../../../base/ip.ts'
import { change, type FileFailure, readBytes, sizeOf, type Work } from '../../persistence/files.ts'
import type { Jobs } from '../../persistence/jobs.ts'

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

export const TERM_FILE = 'strict.state'
const NEXT_PATH = 'strict.state.next'
const HEAD = 'vedette strict 1'
const END = 'end'
/** Far more than any file of ours has. */
const MAX_BYTES = 64 * 1024
export const NO_TERM: KeptTerm = { number: 0, leader: '', hasJoined: false, layout: undefined }

export class TermFile {
  readonly #jobs: Jobs
  #waiting: { readonly kept: KeptTerm; readonly onEnd: (failure?: FileFailure) => void }[] = []
  #isWriting = false

  constructor(jobs: Jobs) {
    this.#jobs = jobs
  }

  /** Everything that was told to it is on disk. */
  get isEven(): boolean {
    return !this.#isWriting && this.#waiting.length === 0
  }

  /** Calls back with what was kept, or with the reason why that cannot be read. */
  load(onEnd: (kept: KeptTerm | string) => void): void {
    this.#jobs.start(readKept(), onEnd)
  }

  /** One write at a time, in the order they came. */
  save(kept: KeptTerm, onEnd: (failure?: FileFailure) => void): void {
    this.#waiting.push({ kept, onEnd })
    this.#writeNext()
  }

  #writeNext(): void {
    const next = this.#waiting[0]
    if (this.#isWriting || next === undefined) return
    this.#waiting.shift()
    this.#isWriting = true
    this.#jobs.start(write(textOf(next.kept)), (failure) => {
      this.#isWriting = false
      next.onEnd(failure)
      this.#writeNext()
    })
  }
}

function* write(text: string): Work<FileFailure | undefined> {
  return (
    (yield* change({ kind: 'create', path: NEXT_PATH })) ??
    (yield* change({ kind: 'append', path: NEXT_PATH, bytes: text })) ??
    (yield* change({ kind: 'sync', path: NEXT_PATH })) ??
    (yield* change({ kind: 'rename', from: NEXT_PATH, to: TERM_FILE }))
  )
}

function* readKept(): Work<KeptTerm | string> {
  const size = yield* sizeOf(TERM_FILE)
  if (size === 'absent') return NO_TERM
  if (typeof size !== 'number') return size.text
  if (size > MAX_BYTES) return 'it is too long'
  const bytes = yield* readBytes(TERM_FILE, 0, MAX_BYTES)
  if (typeof bytes !== 'string') return bytes.text
  return parseTermFile(bytes) ?? 'it is damaged'
}

function textOf({ number, leader, hasJoined, layout }: KeptTerm): string {
  const group = layout === undefined ? [] : [`layout ${layoutText(layout)}`]
  const term = `term ${number} ${leader}`
  return `${[HEAD, term, `joined ${hasJoined ? 1 : 0}`, ...group, END].join('\n')}\n`
}

/** Undefined: it is damaged. */
export function parseTermFile(text: string): KeptTerm | undefined {
  const lines = text.split('\n')
  if (lines[0] !== HEAD || lines.at(-2) !== END || lines.at(-1) !== '') return undefined
  const value = (name: string) =>
    lines.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1)
  const term = parseTerm((value('term') ?? '').split(' '))
  const joined = value('joined')
  if (term === undefined || (joined !== '0' && joined !== '1')) return undefined
  const layout = value('layout')
  return { ...term, hasJoined: joined === '1', layout: layout ? parseLayout(layout) : undefined }
}

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
