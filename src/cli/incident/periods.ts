/** Periods of time: when something was so. They hold their beginning, and not their end. */

export interface Period {
  readonly fromMs: number
  readonly untilMs: number
  readonly why?: string
}

export function isIn(periods: readonly Period[], atMs: number): boolean {
  return periods.some(({ fromMs, untilMs }) => fromMs <= atMs && atMs < untilMs)
}

/** Something begins or ends for an address. */
export interface PeriodMark {
  readonly atMs: number
  readonly address: string
  readonly isBegin: boolean
  readonly why: string
}

/** By address, from marks in the order of their times; what does not end lasts until `endMs`. */
export function periodsOf(
  marks: readonly PeriodMark[],
  endMs: number,
): ReadonlyMap<string, readonly Period[]> {
  const periods = new Map<string, Period[]>()
  const open = new Map<string, PeriodMark>()
  const close = ({ atMs, address, why }: PeriodMark, untilMs: number) => {
    const known = periods.get(address) ?? []
    periods.set(address, known)
    known.push({ fromMs: atMs, untilMs, why })
  }
  for (const mark of marks) {
    const begun = open.get(mark.address)
    if (mark.isBegin && begun === undefined) open.set(mark.address, mark)
    if (mark.isBegin || begun === undefined) continue
    open.delete(mark.address)
    close(begun, mark.atMs)
  }
  for (const mark of open.values()) close(mark, endMs)
  return periods
}

/** The parts between the edges of these periods in which it is so. */
export function partsWhere(
  periods: readonly Period[],
  isSo: (atMs: number) => boolean,
): readonly Period[] {
  const edges = [...new Set(periods.flatMap(({ fromMs, untilMs }) => [fromMs, untilMs]))]
  edges.sort((one, other) => one - other)
  return edges.slice(0, -1).flatMap((fromMs, at): Period[] => {
    const untilMs = edges[at + 1] ?? fromMs
    return isSo(fromMs) ? [{ fromMs, untilMs }] : []
  })
}

/** Neighbours that are alike, together. */
export function alike<T>(
  list: readonly T[],
  keyOf: (one: T) => string | undefined,
): readonly (readonly T[])[] {
  const runs: T[][] = []
  let last: string | undefined
  for (const [at, one] of list.entries()) {
    const key = keyOf(one)
    if (at > 0 && key === last) runs.at(-1)?.push(one)
    else runs.push([one])
    last = key
  }
  return runs
}
