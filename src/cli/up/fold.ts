/**
 * Three Sentinels say most things three times. Folding makes one line of what several of them said at
 * about the same time, so that a failover fits on a screen.
 */
import { explain } from './explain.ts'
import type { ClusterModel } from './model.ts'

export interface FoldedLine {
  /** When it was said first. */
  readonly wallMs: number
  readonly event: string
  readonly words: string
  /** Ports of those who said it, in the order they did. */
  readonly sources: readonly number[]
}

/** What is said later than this after the first is said anew. */
const TOGETHER_MS = 2_000
/** How far back the same words are looked for. */
const LOOK_BACK = 40

export function fold(model: ClusterModel): readonly FoldedLine[] {
  const portOf = (runId: string) => model.sentinels.find((one) => one.runId === runId)?.port
  const lines: FoldedLine[] = []
  for (const happening of model.happenings) {
    const { wallMs, event, source } = happening
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

/** The index of an earlier line with the same words from somebody else; -1: none. */
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

/** Who said it, in few letters: `7100`, `7100 7102`, `all`, `4 of 5`. */
export function speakers({ sources }: Pick<FoldedLine, 'sources'>, model: ClusterModel): string {
  const count = model.sentinels.length
  if (sources.length > 1 && sources.length === count) return 'all'
  return sources.length <= 2 ? sources.join(' ') : `${sources.length} of ${count}`
}
