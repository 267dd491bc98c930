/**
 * The steps of a file as people count and call them, so that an engine can say which of them it
 * cannot do: `step 3 (clock-jump): this engine cannot move the clock of a real process`.
 */
import type { Action } from '../sim/action.ts'
import type { ActionKey } from './language/schema-actions.ts'
import type { ScenarioFile } from './scenario-file.ts'

export interface CountedAction {
  /** Of the timeline, from 1 on. */
  readonly step: number
  /** As the file calls it. */
  readonly word: ActionKey
  readonly action: Action
}

export function actionsOf(file: ScenarioFile): readonly CountedAction[] {
  return file.steps.flatMap(({ actions }, index) =>
    actions.map((action) => ({ step: index + 1, word: wordOf(action), action })),
  )
}

/** What an engine cannot do about a file, in one line; undefined: it can do all of it. */
export function refusalOf(
  file: ScenarioFile,
  reasonAgainst: (action: Action) => string | undefined,
): string | undefined {
  const refused = actionsOf(file).flatMap((counted) => {
    const reason = reasonAgainst(counted.action)
    return reason === undefined ? [] : [{ ...counted, reason }]
  })
  const steps = refused.filter(({ step }, index) => refused[index - 1]?.step !== step)
  return steps.length === 0
    ? undefined
    : steps.map(({ step, word, reason }) => `step ${step} (${word}): ${reason}`).join('; ')
}

const WORDS: Readonly<Record<Action['kind'], ActionKey>> = {
  kill: 'kill',
  stop: 'stop',
  pause: 'pause',
  resume: 'resume',
  start: 'start',
  restart: 'restart',
  stall: 'stall',
  powerLoss: 'power-loss',
  readdress: 'readdress',
  partition: 'partition',
  cut: 'cut',
  hold: 'hold',
  release: 'release',
  refuse: 'refuse',
  shape: 'shape',
  reset: 'reset',
  heal: 'heal',
  clockJump: 'clock-jump',
  clockDrift: 'clock-drift',
  failDisk: 'disk-failure',
  repairDisk: 'disk-repair',
  command: 'command',
}

/** The word of scenario files for an action. */
export function wordOf(action: Action): ActionKey {
  return WORDS[action.kind]
}
