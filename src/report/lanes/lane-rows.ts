/** The rows of the swim lanes: what happened at one moment, in which columns. */

import type { Lane, LaneModel, LaneMoment } from './lane-model.ts'
import type { LaneState } from './lane-state.ts'

export type Row =
  | {
      readonly kind: 'fault' | 'violation'
      readonly atMs: number
      readonly text: string
      readonly cells: readonly []
    }
  /** One cell per lane; undefined if nothing happened there. */
  | {
      readonly kind: 'moments'
      readonly atMs: number
      readonly cells: readonly (LaneCell | undefined)[]
    }

export interface LaneCell {
  readonly labels: readonly [string, ...string[]]
  /** Whether another node becomes master. */
  readonly isImportant: boolean
}

export function rowsOf(model: LaneModel, lanes: readonly Lane[]): readonly Row[] {
  const rules = [
    ...model.faults.map((one): Row => ({ ...one, kind: 'fault', cells: [] })),
    ...model.violations.map(({ atMs, text, process }): Row => {
      const who = process === undefined ? '' : `${process}: `
      return { kind: 'violation', atMs, text: `${who}${text}`, cells: [] }
    }),
  ]
  // A stable sort: what was done at a moment comes before its consequences.
  return [...rules, ...momentRows(lanes)].sort((a, b) => a.atMs - b.atMs)
}

function momentRows(lanes: readonly Lane[]): Row[] {
  const times = new Map<number, (readonly LaneMoment[])[]>()
  lanes.forEach((lane, index) => {
    for (const [atMs, moments] of keyMoments(lane)) {
      const columns = times.get(atMs) ?? lanes.map(() => [])
      columns[index] = moments
      times.set(atMs, columns)
    }
  })
  return [...times].flatMap(([atMs, columns]) => {
    const height = Math.max(...columns.map((moments) => moments.length))
    return Array.from({ length: height }, (_none, line): Row => {
      const cells = columns.map((moments) => cellOf(moments[line]))
      return { kind: 'moments', atMs, cells }
    })
  })
}

function keyMoments(lane: Lane): ReadonlyMap<number, readonly LaneMoment[]> {
  const byTime = new Map<number, LaneMoment[]>()
  for (const moment of lane.moments) {
    if (!moment.isKey) continue
    const known = byTime.get(moment.atMs)
    if (known === undefined) byTime.set(moment.atMs, [moment])
    else known.push(moment)
  }
  return byTime
}

function cellOf(moment: LaneMoment | undefined): LaneCell | undefined {
  if (moment === undefined) return undefined
  const { labels, count, topic } = moment
  const isImportant = topic === 'promotion' || topic === 'switch'
  if (count === 1) return { labels, isImportant }
  const [first, ...others] = labels.map((label) => `${label} ×${count}`)
  return { labels: [first ?? '', ...others], isImportant }
}

export function spanAt(lane: Lane, atMs: number): LaneState {
  const span = lane.spans.findLast(({ fromMs }) => fromMs <= atMs)
  return span?.state ?? { kind: 'down' }
}

/** The longest of the texts that fits, or the shortest, cut: of `+sdown sessions-1` both ends say most. */
export function shorten(texts: readonly string[], width: number): string {
  const fitting = texts.find((text) => text.length <= width)
  if (fitting !== undefined) return fitting
  const text = texts.at(-1) ?? ''
  const words = text.split(' ')
  const [first = ''] = words
  const room = width - first.length - 2
  if (words.length === 2 && room >= 2) return `${first} …${text.slice(-room)}`
  return `${text.slice(0, Math.max(0, width - 1))}…`
}
