import { describe, expect, test } from 'vitest'
import type { Played } from '../../src/scenario/run.ts'
import { playScenario } from '../../src/scenario/run.ts'
import { SIM_ENGINE } from '../../src/scenario/sim-engine.ts'
import { altered, parse } from './support.ts'

const STEP = '  - { at: 5s, as: kill, kill: n1 }'
const EXPECTATION = '  - { master: { not: n1 }, after: kill, within: 2s }'

/** Plays the small scenario with another timeline; what is expected is that nobody loses his head. */
async function play(steps: readonly string[], expectation = EXPECTATION): Promise<Played> {
  const timeline = steps.map((step) => `  - ${step}`).join('\n')
  const text = altered(STEP, timeline).replace(EXPECTATION, expectation)
  return await playScenario(parse(text), { seed: '1' })
}

const TRIVIAL = '  - { event: { name: +tilt }, never: true }'
const KILL = '{ at: 5s, as: kill, kill: n1 }'

/** The faults of a run, with their times. */
function faultsOf({ result }: Played): readonly (readonly [number, string])[] {
  return result.timeline.flatMap(({ kind, atMs, text }) =>
    kind === 'fault' ? [[atMs, text.replace(/^! /, '')] as const] : [],
  )
}

function atOf({ history }: Played, name: string): readonly number[] {
  return history.happenings.flatMap((happening) =>
    happening.kind === 'event' && happening.name === name ? [happening.atMs] : [],
  )
}

describe('a step that waits', () => {
  test('is done at the moment of the event', async () => {
    const played = await play([
      KILL,
      '{ after: { event: { name: +odown } }, as: odown, pause: n2 }',
    ])
    const [odownMs] = atOf(played, '+odown')
    expect(faultsOf(played)).toEqual([
      [5_000, 'kill n1'],
      [odownMs, 'pause n2'],
    ])
    expect(played.history.labels.get('odown')).toBe(odownMs)
  })

  test('is done a while later, if it says so', async () => {
    const wait = '{ after: { event: { name: +odown } }, plus: 250ms, as: late, heal: true }'
    const played = await play([KILL, wait])
    expect(faultsOf(played)[1]).toEqual([(atOf(played, '+odown')[0] ?? 0) + 250, 'heal'])
  })

  test('for an event at each of several Sentinels is done at the last one', async () => {
    const wait =
      '{ after: { event: { name: +sdown, at: [s1, s2, s3], matching: n1 } }, heal: true }'
    const played = await play([KILL, wait])
    expect(faultsOf(played)[1]?.[0]).toBe(atOf(played, '+sdown')[2])
  })

  test('does not take an event for its own that came before the step above it', async () => {
    const played = await play([
      KILL,
      '{ at: 9s, heal: true }',
      '{ after: { event: { name: +odown } }, within: 1s, heal: true }',
    ])
    expect(played.result.expectations[0]).toMatchObject({ passed: false })
  })

  test('for what is so already is done at once', async () => {
    const played = await play([
      '{ at: 4s, heal: true }',
      '{ after: { master: n1 }, heal: true }',
      '{ after: { role: { node: n2, is: replica } }, as: kill, kill: n1 }',
    ])
    expect(faultsOf(played).map(([atMs]) => atMs)).toEqual([4_000, 4_000, 4_000])
    expect(played.result.verdict).toBe('passed')
  })

  test.each([
    ['{ master: { not: n1 } }', 'view'],
    ['{ leader: true }', 'event'],
    ['{ one-master: true }', 'role'],
    ['{ converged: true }', 'role'],
  ])('for %s is done when it is so', async (condition, cause) => {
    const wait = `{ after: ${condition}, as: then, heal: true }`
    const played = await play([
      '{ at: 5s, kill: n1 }',
      '{ at: 5500ms, as: kill, heal: true }',
      wait,
    ])
    const thenMs = played.history.labels.get('then') ?? 0
    expect(thenMs).toBeGreaterThan(6_000)
    const told = played.history.happenings.filter(({ atMs }) => atMs === thenMs)
    expect(told.map(({ kind }) => kind)).toContain(cause)
  })

  test('for writes is done soon after one has worked again', async () => {
    const played = await play([KILL, '{ after: { writes-work: true }, as: works }'])
    const worksMs = played.history.labels.get('works') ?? 0
    const acknowledged = played.history.writes.flatMap(({ attemptedAtMs, outcome }) =>
      outcome.kind === 'acknowledged' && attemptedAtMs >= 5_000 ? [outcome.atMs] : [],
    )
    expect(worksMs - Math.min(...acknowledged)).toBeGreaterThanOrEqual(0)
    expect(worksMs - Math.min(...acknowledged)).toBeLessThanOrEqual(20)
  })

  test('in vain ends the timeline, and the verdict says which step it was', async () => {
    const played = await play([
      '{ at: 4s, heal: true }',
      '{ after: { event: { name: +odown, matching: n2 } }, within: 2s, as: kill, kill: n1 }',
      '{ at: kill + 1s, restart: n1 }',
    ])
    expect(played.result.verdict).toBe('failed')
    expect(played.result.expectations).toMatchObject([
      {
        text: 'step 2 (kill): waits until +odown with "n2" at a Sentinel',
        passed: false,
        finding: 'waited 2 s in vain, from 4 s on; the rest of the timeline was not done',
      },
      { passed: false, finding: 'the step "kill" was not done' },
    ])
    expect(faultsOf(played)).toEqual([[4_000, 'heal']])
  })
})

describe('a role', () => {
  test('stands for whom the Sentinels name as master', async () => {
    const played = await play(['{ at: 5s, as: kill, kill: the-master }'])
    expect(faultsOf(played)).toEqual([[5_000, 'kill n1']])
    expect(played.result.verdict).toBe('passed')
  })

  test('stands for the Sentinel that leads, and for its host', async () => {
    const played = await play(
      [
        KILL,
        '{ after: { event: { name: +elected-leader } }, kill: the-leader }',
        '{ at: kill + 4s, partition: [the-leader] }',
      ],
      TRIVIAL,
    )
    const leaders = played.history.happenings.filter(({ kind }) => kind === 'leader')
    const hosts = new Map([
      ['s1', 'a'],
      ['s2', 'b'],
      ['s3', 'c'],
    ])
    const faults = faultsOf(played).map(([, text]) => text)
    expect(faults[1]).toBe(`kill ${leaders[0]?.process}`)
    expect(faults[2]).toBe(`partition ${hosts.get(leaders.at(-1)?.process ?? '')}`)
  })

  test('stands for the replica that was selected', async () => {
    const played = await play(
      [KILL, '{ after: { event: { name: +selected-slave } }, kill: the-promoted }'],
      TRIVIAL,
    )
    const selected = played.result.timeline.find(({ text }) => text.startsWith('+selected-slave'))
    expect(faultsOf(played)[1]?.[1]).toBe(`kill ${/slave (n\d)/.exec(selected?.text ?? '')?.[1]}`)
  })

  test('stands for the replica that was selected last, when there were several', async () => {
    const again = '{ after: { event: { name: +selected-slave } }, kill: the-promoted }'
    const played = await play([KILL, again, '{ at: 6900ms, heal: true }', again], TRIVIAL)
    const killed = faultsOf(played).map(([, text]) => text)
    expect(new Set(killed)).toEqual(new Set(['kill n1', 'kill n2', 'kill n3', 'heal']))
  })

  test('stands for the Sentinel at which the event was seen', async () => {
    const played = await play(
      [KILL, '{ after: { event: { name: +sdown } }, pause: the-witness }'],
      TRIVIAL,
    )
    const first = played.history.happenings.find(
      (happening) => happening.kind === 'event' && happening.name === '+sdown',
    )
    expect(faultsOf(played)[1]?.[1]).toBe(`pause ${first?.process}`)
  })

  test('that nobody has fails the run, and ends its timeline', async () => {
    const played = await play(['{ at: 5s, kill: the-leader }', '{ at: 6s, kill: n1 }'], TRIVIAL)
    expect(played.result.expectations[0]).toMatchObject({
      text: 'step 1 (kill): whom it means',
      finding:
        'the-leader: no Sentinel has been elected so far; the rest of the timeline was not done',
    })
    expect(faultsOf(played)).toEqual([])
  })

  test('on two sides of a partition fails the run', async () => {
    const played = await play(['{ at: 5s, partition: [[the-master], [a]] }'], TRIVIAL)
    expect(played.result.expectations[0]?.finding).toContain('host a would stand on two sides')
  })
})

test('what an engine refuses is skipped, with its reason', async () => {
  const engine = { ...SIM_ENGINE, refusal: () => 'step 1 (kill): it cannot' }
  const { result, history } = await playScenario(parse(altered('x', 'x')), { seed: '1', engine })
  expect(result).toMatchObject({ verdict: 'skipped', skipped: 'step 1 (kill): it cannot' })
  expect(history.happenings).toEqual([])
})

test('a grace puts off deadlines, and the end of the run with them', async () => {
  const tight = altered('within: 2s', 'within: 900ms')
  const strict = await playScenario(parse(tight), { seed: '1' })
  const mild = await playScenario(parse(tight), { seed: '1', graceMs: 1_000 })
  expect([strict.result.verdict, mild.result.verdict]).toEqual(['failed', 'passed'])
})
