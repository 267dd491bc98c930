/**
 * `repeat: { times, every, steps }`: the same steps again and again, such as a link that flaps. Each round is written
 * out as steps of its own; what else the file wants in that time stands behind it, and is put between them.
 */
import type { Action } from '../../history/action.ts'
import { formatDuration } from '../duration.ts'
import type { Step, TimeRef } from '../scenario-file.ts'
import { buildActions } from './actions.ts'
import type { Problems } from './problems.ts'
import type { RawRepeat, RawRepeated } from './schema.ts'
import type { Path } from './source.ts'
import { StepPlace, type Symbols } from './symbols.ts'

/** A part of a round, and how long after the beginning of the round it comes. */
type Part = Pick<Step, 'number' | 'label' | 'group' | 'actions'> & { readonly offsetMs: number }

interface Scene {
  readonly cast: Symbols
  readonly problems: Problems
  /** Of the step that repeats. */
  readonly number: number
  readonly path: Path
  /** The group that the roles in a step mean. */
  readonly groupOf: (raw: RawRepeated, actions: readonly Action[], path: Path) => string
}

/** All rounds. `start` is when the first one begins. */
export function buildRounds(raw: RawRepeat, start: TimeRef, scene: Scene): Step[] {
  const parts = buildParts(raw, scene)
  return Array.from({ length: raw.times }, (_, round) => round * raw.every).flatMap((roundMs) =>
    parts.map(({ offsetMs, ...part }) => {
      const time = { label: start.label, offsetMs: start.offsetMs + roundMs + offsetMs }
      return { ...part, when: { kind: 'at', time } as const }
    }),
  )
}

function buildParts({ steps, every }: RawRepeat, scene: Scene): Part[] {
  const { cast, problems, number, path } = scene
  let latestMs = 0
  return steps.map((raw, index) => {
    const at = [...path, 'steps', index]
    const offsetMs = raw.at ?? latestMs
    const isEarly = offsetMs < latestMs
    if (isEarly || offsetMs >= every) {
      const message = isEarly
        ? `is before a step above it, at ${formatDuration(latestMs)}`
        : `is not over when the next round begins, after ${formatDuration(every)}`
      problems.add([...at, 'at'], 'E_VALUE', message, 'it counts from the beginning of each round')
    }
    latestMs = Math.max(latestMs, offsetMs)
    const actions = buildActions(raw, new StepPlace(cast, problems, at, raw.group))
    return { number, label: undefined, group: scene.groupOf(raw, actions, at), actions, offsetMs }
  })
}

/**
 * Steps that follow one another at times which count from the same moment, in the order of these times. Those of a file
 * are in order; the rounds of a repetition are not, beside the steps below it.
 */
export function inOrder(steps: readonly Step[]): Step[] {
  const starts = new Map<string, TimeRef>()
  const ordered: Step[] = []
  let run: { readonly step: Step; readonly start: TimeRef }[] = []
  const flush = (): void => {
    ordered.push(...run.sort((a, b) => a.start.offsetMs - b.start.offsetMs).map(({ step }) => step))
    run = []
  }
  for (const step of steps) {
    const start = startOf(step, starts)
    if (step.label !== undefined)
      starts.set(step.label, start ?? { label: step.label, offsetMs: 0 })
    if (start === undefined || start.label !== run[0]?.start.label) flush()
    if (start === undefined) ordered.push(step)
    else run.push({ step, start })
  }
  flush()
  return ordered
}

/** A time counted from the start, or from a step that waits; undefined: the step waits itself. */
function startOf({ when }: Step, starts: ReadonlyMap<string, TimeRef>): TimeRef | undefined {
  if (when.kind === 'after') return undefined
  const { label, offsetMs } = when.time
  const base = label === undefined ? undefined : starts.get(label)
  return base === undefined ? when.time : { label: base.label, offsetMs: base.offsetMs + offsetMs }
}
