/**
 * Three Sentinels say most things three times. Folding makes one line of the same words from
 * several Sentinels at about the same time, so that a failover fits on a screen.
 */
import { EVENTS, type HeardEvent, isEventName } from '../../core/event-table.ts'
import { explain } from './explain.ts'
import type { ClusterModel, ShownHappening } from './model.ts'

export interface FoldedLine {
  /** When the words were first said. */
  readonly wallMs: number
  readonly event: HeardEvent | ''
  readonly words: string
  /** Ports of the processes that said it, in that order. */
  readonly sources: readonly number[]
}

/** The same words later than this after the first time get a line of their own. */
const TOGETHER_MS = 2_000
/** How many lines back the same words are looked for. */
const LOOK_BACK = 40

export function fold(model: ClusterModel): readonly FoldedLine[] {
  const portOf = (runId: string) => model.sentinels.find((one) => one.runId === runId)?.port
  const lines: FoldedLine[] = []
  for (const happening of model.happenings) {
    const { wallMs, event, source } = happening
    if (isEcho(event)) continue
    const sources = source === undefined ? [] : [source]
    const words = event === '' ? happening.text : explain(event, happening.text, portOf)
    const line = { wallMs, event, words, sources }
    const at = findSame(lines, line)
    const same = lines[at]
    if (same === undefined) lines.push(line)
    else lines[at] = { ...same, sources: [...same.sources, ...sources] }
  }
  return lines
}

/** Said for programs that come late, and right behind what says it to people. */
function isEcho(event: ShownHappening['event']): boolean {
  return event !== '' && isEventName(event) && EVENTS[event].level === 'unlogged'
}

/** The index of an earlier line with the same words from another process; -1: none. */
function findSame(lines: readonly FoldedLine[], line: FoldedLine): number {
  if (line.event === '') return -1
  const oldest = Math.max(0, lines.length - LOOK_BACK)
  for (let at = lines.length - 1; at >= oldest; at--) {
    const one = lines[at] as FoldedLine
    const isSame = one.event === line.event && one.words === line.words
    if (isSame && isTogether(one, line)) return at
  }
  return -1
}

function isTogether(first: FoldedLine, second: FoldedLine): boolean {
  const [source] = second.sources
  if (source === undefined || first.sources.includes(source)) return false
  return second.wallMs - first.wallMs <= TOGETHER_MS
}

/** The speakers in few letters: `7100`, `7100 7102`, `all`, `4 of 5`. */
export function speakers({ sources }: Pick<FoldedLine, 'sources'>, model: ClusterModel): string {
  const count = model.sentinels.length
  if (sources.length > 1 && sources.length === count) return 'all'
  return sources.length <= 2 ? sources.join(' ') : `${sources.length} of ${count}`
}
