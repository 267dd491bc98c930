/**
 * What the machines of this thread have executed, as V8 counts it (the Profiler of `node:inspector`, precise
 * coverage of blocks). Counting makes the machines slower by a quarter or so, and does not change what they do.
 */
import { type Profiler, Session } from 'node:inspector'
import type { FunctionVisit, Gap, RunCoverage } from '../../fuzz/guided/coverage.ts'

/** The folders whose code decides in production: what runs in the laboratory alone is not measured. */
const MACHINES = ['core/', 'server/', 'session/', 'acl/', 'resp/', 'base/']
/** The folder of the compiled files. */
const ROOT = new URL('../../', import.meta.url).href

type Range = Profiler.CoverageRange

export class CoverageMeter {
  readonly #session = new Session()

  /** From now on everything is counted that has not been compiled by the optimiser yet. */
  constructor() {
    this.#session.connect()
    this.#session.post('Profiler.enable')
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  }

  /** What was executed since the last call, or since the beginning. */
  take(): RunCoverage {
    const found = new Map<string, FunctionVisit[]>()
    // Within one thread the inspector answers before `post` returns.
    this.#session.post('Profiler.takePreciseCoverage', (error, answer) => {
      if (error !== null) throw error
      for (const script of answer.result) {
        const module = moduleOf(script.url)
        if (module !== undefined) found.set(module, script.functions.flatMap(visitOf))
      }
    })
    return found
  }

  close(): void {
    this.#session.disconnect()
  }
}

function moduleOf(url: string): string | undefined {
  if (!url.startsWith(ROOT)) return undefined
  const module = url.slice(ROOT.length)
  return MACHINES.some((folder) => module.startsWith(folder)) ? module : undefined
}

function visitOf({ functionName: name, ranges }: Profiler.FunctionCoverage): FunctionVisit[] {
  const [whole, ...blocks] = ranges
  if (whole === undefined) return []
  const { startOffset: start, endOffset: end, count: calls } = whole
  // The code of the module itself: it runs once, when it is loaded.
  if (start === 0) return []
  const gaps = calls === 0 ? [[start, end] as const] : gapsIn(ranges)
  const counted = blocks.map((one) => [one.startOffset, one.endOffset, one.count] as const)
  return [{ start, end, name, calls, gaps, blocks: counted }]
}

/** The parts whose innermost range was not run. An outer range comes before those that it contains. */
export function gapsIn(ranges: readonly Range[]): Gap[] {
  const gaps: [start: number, end: number][] = []
  const open: Range[] = []
  let atOffset = ranges[0]?.startOffset ?? 0
  const upTo = (offset: number): void => {
    const last = gaps.at(-1)
    if (open.at(-1)?.count === 0 && offset > atOffset) {
      if (last !== undefined && last[1] === atOffset) last[1] = offset
      else gaps.push([atOffset, offset])
    }
    atOffset = Math.max(atOffset, offset)
  }
  const closeBefore = (offset: number): void => {
    for (let top = open.at(-1); top !== undefined && top.endOffset <= offset; top = open.at(-1)) {
      upTo(top.endOffset)
      open.pop()
    }
  }
  for (const range of ranges) {
    closeBefore(range.startOffset)
    upTo(range.startOffset)
    open.push(range)
  }
  closeBefore(Number.POSITIVE_INFINITY)
  return gaps
}
