/** `repeat` in the timeline of a scenario. */
import { describe, expect, test } from 'vitest'
import type { Step } from '../../src/scenario/scenario-file.ts'
import { altered, parse, problemsOf } from './support.ts'

const STEP = '- { at: 5s, as: kill, kill: n1 }'
const FLAP =
  'repeat: { times: 3, every: 2s, steps: [{ partition: [[a]] }, { at: 500ms, heal: true }] }'

function withSteps(...steps: string[]): string {
  const lines = steps.map((step) => `- { ${step} }`).join('\n  ')
  return altered(STEP, lines).replace(', after: kill', '')
}

/** When each step is done, and what it does; times from a named step as `flap+2000`. */
function shown(steps: readonly Step[]): string[] {
  return steps.map(({ when, actions }) => {
    const done = actions.map(({ kind }) => kind).join() || '-'
    if (when.kind === 'after') return `wait ${done}`
    const { label, offsetMs } = when.time
    return `${label === undefined ? '' : `${label}+`}${offsetMs} ${done}`
  })
}

describe('repeat', () => {
  test('does its steps in every round, at times counted from the beginning of each', () => {
    expect(shown(parse(withSteps(`at: 5s, ${FLAP}`)).steps)).toEqual([
      '5000 -',
      ...[
        '5000 partition',
        '5500 heal',
        '7000 partition',
        '7500 heal',
        '9000 partition',
        '9500 heal',
      ],
    ])
  })

  test('lets steps below it fall between the rounds, whatever they count from', () => {
    const steps = [`at: 5s, as: flap, ${FLAP}`, 'at: flap + 2s, kill: n1', 'at: 8s, restart: n1']
    expect(shown(parse(withSteps(...steps)).steps)).toEqual([
      ...['5000 -', '5000 partition', '5500 heal', '7000 partition', 'flap+2000 kill', '7500 heal'],
      ...['8000 restart', '9000 partition', '9500 heal'],
    ])
  })

  test('counts from the moment that it waits for, and is over before a step that waits', () => {
    const wait = 'after: { one-master: true }'
    const steps = [`${wait}, as: flap, ${FLAP}`, 'at: flap + 1s, kill: n1', `${wait}, restart: n1`]
    expect(shown(parse(withSteps(...steps)).steps)).toEqual([
      ...['wait -', 'flap+0 partition', 'flap+500 heal', 'flap+1000 kill', 'flap+2000 partition'],
      ...['flap+2500 heal', 'flap+4000 partition', 'flap+4500 heal', 'wait restart'],
    ])
  })

  test('says what makes no sense, with the line', () => {
    const cases: readonly (readonly [string, string])[] = [
      ['at: 5s, repeat: { times: 0, every: 2s, steps: [{ heal: true }] }', 'must be at least 1'],
      ['at: 5s, repeat: { times: 2, every: 2s, steps: [] }', 'must have a step'],
      ['at: 5s, repeat: { times: 2, every: 0s, steps: [{ heal: true }] }', 'must be at least 1ms'],
      ['at: 5s, repeat: { times: 2, every: 2s, steps: [{ at: 1s }] }', 'must have exactly one of'],
      [
        'at: 5s, repeat: { times: 2, every: 2s, steps: [{ at: 2s, heal: true }] }',
        'not over when the next',
      ],
      [
        'at: 5s, repeat: { times: 2, every: 2s, steps: [{ at: 1s, heal: true }, { at: 0s, heal: true }] }',
        'is before a step above it, at 1 s',
      ],
      ['at: 5s, repeat: { times: 2, every: 2s, steps: [{ kill: n9 }] }', 'no process is called n9'],
      [`after: { one-master: true }, ${FLAP}`, 'waits, and repeats, without a name'],
      [`at: 5s, kill: n1, ${FLAP}`, 'it has kill and repeat'],
      [
        'at: 5s, repeat: { times: 2, every: 2s, steps: [{ as: x, heal: true }] }',
        'is not known here',
      ],
    ]
    for (const [step, problem] of cases) {
      const problems = problemsOf(withSteps(step))
      expect(problems.join('\n'), step).toContain(problem)
      expect(
        problems.filter((text) => text.includes(problem)),
        step,
      ).toHaveLength(1)
    }
  })
})
