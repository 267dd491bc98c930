import { describe, expect, test } from 'vitest'
import type { Action } from '../../src/history/action.ts'
import { altered, parse, problemsOf } from './support.ts'

const STEP = '{ at: 5s, as: kill, kill: n1 }'

/** The first step of the small scenario, replaced; the expectation loses its reference to it. */
function withStep(step: string): string {
  return altered(STEP, step).replace(', after: kill', '')
}

function actionsOf(step: string, where = (text: string) => text): readonly Action[] {
  return parse(where(withStep(`{ at: 5s, ${step} }`))).steps[0]?.actions ?? []
}

function problemsIn(step: string): string {
  return problemsOf(inZones(withStep(step))).join('\n')
}

/** Two of the four hosts are a zone. */
function inZones(text: string): string {
  return text.replace('topology:\n', 'topology:\n  zones: { east: [c, d] }\n')
}

const FAILOVER = ['SENTINEL', 'FAILOVER', 'mymaster']
const SHAPE = { latencyMs: 40, jitterMs: 5, loss: 0.1, duplication: 0.2, bytesPerSecond: 65_536 }

describe('a zone stands for each of its hosts', () => {
  const [toC, toD, fromC, fromD] = [
    { from: 'b', to: 'c' },
    { from: 'b', to: 'd' },
    { from: 'c', to: 'b' },
    { from: 'd', to: 'b' },
  ]
  const cases: readonly (readonly [string, Action[]])[] = [
    ['partition: [east]', [{ kind: 'partition', groups: [['c', 'd']] }]],
    ['partition: [[a, east], b]', [{ kind: 'partition', groups: [['a', 'c', 'd'], ['b']] }]],
    ['power-loss: east', [{ kind: 'powerLoss', hosts: ['c', 'd'] }]],
    ['cut: { from: b, to: east }', [toC, toD].map((way) => ({ kind: 'cut', ...way }))],
    [
      'hold: { between: [b, east] }',
      [toC, toD, fromC, fromD].map((way) => ({ kind: 'hold', ...way })),
    ],
    [
      'refuse: { from: east, to: east }',
      [
        { kind: 'refuse', from: 'c', to: 'd' },
        { kind: 'refuse', from: 'd', to: 'c' },
      ],
    ],
    [
      'shape: { between: [east, b], loss: 0.5 }',
      [fromC, fromD, toC, toD].map((way) => ({ kind: 'shape', ...way, shape: { loss: 0.5 } })),
    ],
    [
      'shape: { to: east, loss: 0.5 }',
      ['c', 'd'].map((to) => ({ kind: 'shape', from: undefined, to, shape: { loss: 0.5 } })),
    ],
    ['reset: east', ['c', 'd'].map((host) => ({ kind: 'reset', host, peer: undefined }))],
    [
      'reset: { host: b, peer: east }',
      ['c', 'd'].map((peer) => ({ kind: 'reset', host: 'b', peer })),
    ],
  ]
  for (const [step, expected] of cases) {
    test(step, () => {
      expect(actionsOf(step, inZones)).toEqual(expected)
    })
  }

  test('but where one host is wanted', () => {
    const problems = problemsIn('{ at: 5s, readdress: east }')
    expect(problems).toMatch(/readdress {2}no host is called east {2}\(there are a, b, c, d\)/)
  })

  test('and a host is parted from itself no more than by its own name', () => {
    const twice = problemsIn('{ at: 5s, partition: [[c], [east]] }')
    expect(twice).toMatch(/partition {2}c stands there twice/)
    const itself = problemsIn('{ at: 5s, cut: { from: c, to: c } }')
    expect(itself).toMatch(/cut {2}leads from a host to itself {2}\(name two hosts, or zones\)/)
  })

  test('and stands among the names that are known', () => {
    const problems = problemsIn('{ at: 5s, partition: [west] }')
    expect(problems).toMatch(/no zone or host is called west {2}\(there are east, a, b, c, d\)/)
  })
})

describe('what a step does', () => {
  const cases: readonly (readonly [string, Action[]])[] = [
    ['kill: [n1, s1]', [{ kind: 'kill', processes: ['n1', 's1'] }]],
    ['stop: n1', [{ kind: 'stop', processes: ['n1'] }]],
    ['pause: n1', [{ kind: 'pause', processes: ['n1'] }]],
    ['resume: n1', [{ kind: 'resume', processes: ['n1'] }]],
    ['restart: n1', [{ kind: 'restart', processes: ['n1'], disk: 'kept' }]],
    [
      'restart: { process: [n1, n2], disk: empty }',
      [{ kind: 'restart', processes: ['n1', 'n2'], disk: 'empty' }],
    ],
    ['stall: { process: s1, for: 3s }', [{ kind: 'stall', processes: ['s1'], forMs: 3_000 }]],
    ['power-loss: [a, b]', [{ kind: 'powerLoss', hosts: ['a', 'b'] }]],
    ['readdress: a', [{ kind: 'readdress', host: 'a', disk: 'kept' }]],
    ['readdress: { host: a, disk: empty }', [{ kind: 'readdress', host: 'a', disk: 'empty' }]],
    ['partition: [a, [b, c]]', [{ kind: 'partition', groups: [['a'], ['b', 'c']] }]],
    ['cut: { from: a, to: b }', [{ kind: 'cut', from: 'a', to: 'b' }]],
    [
      'hold: { between: [a, b] }',
      [
        { kind: 'hold', from: 'a', to: 'b' },
        { kind: 'hold', from: 'b', to: 'a' },
      ],
    ],
    ['hold: { from: a, to: b }', [{ kind: 'hold', from: 'a', to: 'b' }]],
    ['release: true', [{ kind: 'release' }]],
    ['refuse: { from: a, to: b }', [{ kind: 'refuse', from: 'a', to: 'b' }]],
    ['heal: true', [{ kind: 'heal' }]],
    [
      'shape: { from: a, latency: 40ms, jitter: 5ms, loss: 0.1, duplication: 0.2, bandwidth: 65536 }',
      [{ kind: 'shape', from: 'a', to: undefined, shape: SHAPE }],
    ],
    [
      'shape: { between: [a, b], loss: 0.5 }',
      [
        { kind: 'shape', from: 'a', to: 'b', shape: { loss: 0.5 } },
        { kind: 'shape', from: 'b', to: 'a', shape: { loss: 0.5 } },
      ],
    ],
    ['reset: a', [{ kind: 'reset', host: 'a', peer: undefined }]],
    ['reset: { host: a, peer: b }', [{ kind: 'reset', host: 'a', peer: 'b' }]],
    [
      'clock-jump: { process: [s1, s2], by: -60s }',
      [
        { kind: 'clockJump', process: 's1', byMs: -60_000 },
        { kind: 'clockJump', process: 's2', byMs: -60_000 },
      ],
    ],
    [
      'clock-drift: { process: s1, rate: 1.05 }',
      [{ kind: 'clockDrift', process: 's1', rate: 1.05 }],
    ],
    [
      'disk-failure: { process: s1 }',
      [
        {
          kind: 'diskFailure',
          process: 's1',
          operation: 'write',
          reason: 'No space left on device',
        },
      ],
    ],
    [
      'disk-failure: { process: s1, operation: sync }',
      [{ kind: 'diskFailure', process: 's1', operation: 'sync', reason: 'Input/output error' }],
    ],
    ['disk-delay: { process: s1, by: 4s }', [{ kind: 'diskDelay', process: 's1', byMs: 4_000 }]],
    ['disk-repair: s1', [{ kind: 'diskRepair', process: 's1' }]],
    ['roll-back: { process: s1, by: 30s }', [{ kind: 'rollBack', process: 's1', byMs: 30_000 }]],
    ['measure: true', [{ kind: 'measure' }]],
    ['memory-use: { process: n1, share: 0.8 }', [{ kind: 'memoryUse', process: 'n1', share: 0.8 }]],
    [
      'command: { to: n1, argv: [CONFIG, SET, maxmemory, 0] }',
      [{ kind: 'command', process: 'n1', argv: ['CONFIG', 'SET', 'maxmemory', '0'] }],
    ],
    [
      'failover: { at: s1 }',
      [{ kind: 'command', process: 's1', argv: ['SENTINEL', 'FAILOVER', 'mymaster'] }],
    ],
    [
      'failover: { at: s1, coordinated: true, to: n2, dry-run: true }',
      [
        {
          kind: 'command',
          process: 's1',
          argv: [...FAILOVER, 'COORDINATED', 'TO', '{host:n2}', '{port:n2}', 'DRYRUN'],
        },
      ],
    ],
    [
      'pause-failover: { at: s1, for: 10m, reason: new kernel }',
      [
        {
          kind: 'command',
          process: 's1',
          argv: ['SENTINEL', 'PAUSE', 'mymaster', '600', 'new kernel'],
        },
      ],
    ],
    [
      'resume-failover: { at: s1 }',
      [{ kind: 'command', process: 's1', argv: ['SENTINEL', 'RESUME', 'mymaster'] }],
    ],
    ['kill: the-leader', [{ kind: 'kill', processes: ['the-leader'] }]],
    ['partition: [the-master]', [{ kind: 'partition', groups: [['the-master']] }]],
  ]
  test.each(cases)('%s', (step, actions) => {
    expect(actionsOf(step)).toEqual(actions)
  })
})

test('who joins later can be started, and is not there before', () => {
  const text = withStep('{ at: 5s, start: s3 }').replace(
    '{ host: c }\nw',
    '{ host: c, joins-later: true }\nw',
  )
  const { steps, topology } = parse(text)
  expect(steps[0]?.actions).toEqual([{ kind: 'start', processes: ['s3'] }])
  expect(topology.sentinels.map(({ joinsLater }) => joinsLater)).toEqual([false, false, true])
})

describe('when a step is done', () => {
  test('at a time since the start', () => {
    expect(parse(withStep('{ at: 5s, heal: true }')).steps[0]?.when).toEqual({
      kind: 'at',
      time: { label: undefined, offsetMs: 5_000 },
    })
  })

  test('so long after a step above it', () => {
    const { steps } = parse(altered(STEP, `${STEP}\n  - { at: kill + 2s, heal: true }`))
    expect(steps[1]?.when).toEqual({ kind: 'at', time: { label: 'kill', offsetMs: 2_000 } })
  })

  test('once something has happened, and a while later', () => {
    const step =
      '{ after: { event: { name: +odown, at: s1 } }, plus: 100ms, within: 5s, heal: true }'
    expect(parse(withStep(step)).steps[0]?.when).toEqual({
      kind: 'after',
      condition: {
        kind: 'moment',
        claim: { kind: 'event', name: '+odown', at: ['s1'], matching: undefined },
      },
      plusMs: 100,
      withinMs: 5_000,
    })
  })

  test('once something is so, with half a minute of patience', () => {
    const step = '{ after: { role: { node: n2, is: master } }, heal: true }'
    expect(parse(withStep(step)).steps[0]?.when).toEqual({
      kind: 'after',
      condition: { kind: 'state', claim: { kind: 'role', node: 'n2', role: 'master' } },
      plusMs: 0,
      withinMs: 30_000,
    })
  })

  test('a step may only give a moment its name', () => {
    const { steps } = parse(withStep('{ after: { leader: true }, as: elected }'))
    expect(steps[0]).toMatchObject({ label: 'elected', actions: [] })
  })
})

describe('problems of steps name their place and a way out', () => {
  test.each([
    [
      '{ at: 5s, kill: the-mastr }',
      /kill {2}no role is called the-mastr {2}\(there are the-master,/,
    ],
    ['{ at: 5s, kill: the-witness }', /waits for nothing.*\(the-witness is where.*write after/],
    ['{ at: 5s, kill: [n1, n1] }', /kill {2}n1 stands there twice/],
    ['{ at: kill + 1s, heal: true }', /timeline\[0\]\.at {2}no step is called kill/],
    [
      '{ at: 5s, after: { leader: true }, heal: true }',
      /exactly one of at, after; it has at and after/,
    ],
    ['{ heal: true }', /exactly one of at, after; it has none/],
    ['{ at: 5s, plus: 1s, heal: true }', /plus {2}has no meaning beside at/],
    ['{ after: 5s, heal: true }', /after {2}must be a condition {2}\(write after: \{ event/],
    ['{ after: { failovers: 1 }, heal: true }', /after\.failovers {2}is not known here/],
    ['{ after: { master: n9 }, heal: true }', /after\.master {2}no node is called n9/],
    ['{ after: { event: { name: +odown, at-most: 1 } }, heal: true }', /cannot be counted here/],
    ['{ at: 5s, shape: { between: [a, b] } }', /shape {2}must have one of latency, jitter, loss/],
    ['{ at: 5s, shape: { between: [a, b], from: a, loss: 0.1 } }', /one direction or both/],
    ['{ at: 5s, shape: { loss: 10 } }', /loss {2}must be a share from 0 to 1/],
    ['{ at: 5s, cut: { from: a, to: a } }', /cut {2}leads from a host to itself/],
    ['{ at: 5s, cut: { between: [a, a] } }', /cut {2}leads from a host to itself/],
    ['{ at: 5s, shape: { between: [a, a], loss: 0.1 } }', /shape {2}leads from a host to itself/],
    ['{ at: 5s, shape: { from: a, to: a, loss: 0.1 } }', /shape {2}leads from a host to itself/],
    ['{ at: 5s, partition: [[a, b, c, d]] }', /partition {2}has all hosts in one group/],
    ['{ at: 500000h, heal: true }', /at {2}must be at most 10000h/],
    ['{ at: 5s, stall: { process: n1, for: 10001h } }', /for {2}must be at most 10000h/],
    ['{ at: 5s, cut: { between: [a, q] } }', /cut\.between {2}no host is called q/],
    [
      '{ at: 5s, cut: { from: a } }',
      /cut {2}must be from and to, one host or zone each, or between: \[a, b\]/,
    ],
    ['{ at: 5s, clock-drift: { process: s1, rate: 0 } }', /rate {2}must be from 0.1 to 10/],
    ['{ at: 5s, failover: { at: n1 } }', /failover\.at {2}no Sentinel is called n1/],
    ['{ at: 5s, failover: { at: s1, to: n9 } }', /failover\.to {2}no node is called n9/],
    [
      '{ at: 5s, command: { to: s1, argv: [PING, "{host:n9}"] } }',
      /argv {2}no process is called n9/,
    ],
    ['{ at: 5s, pause-failover: { at: s1, for: 500ms } }', /for {2}is no whole number of seconds/],
    ['{ at: 5s, as: 3s, heal: true }', /as {2}must begin with a letter/],
    ['{ at: 5s, clok-jump: { process: s1, by: 1s } }', /did you mean clock-jump\?/],
  ])('%s', (step, problem) => {
    expect(problemsOf(withStep(step)).join('\n')).toMatch(problem)
  })

  test('a step that would have to be done before the one above it', () => {
    const problems = problemsOf(altered(STEP, `${STEP}\n  - { at: 4s, heal: true }`))
    expect(problems.join('\n')).toMatch(/timeline\[1\]\.at {2}is before a step above it, at 5 s/)
  })

  test('a name that begins like a role', () => {
    const problems = problemsOf(altered('app: { host: d', 'the-app: { host: the-d'))
    expect(problems.join('\n')).toMatch(/the-app {2}the-app begins as roles do.*\(take another/)
    expect(problems.join('\n')).toMatch(/the-app\.host {2}the-d begins as roles do/)
  })

  test('a role in a scenario of several groups', () => {
    const groups = 'mymaster: { master: n1, quorum: 2 }\n    other: { master: n4, quorum: 2 }'
    const text = altered(/mymaster: .*/, groups)
      .replace('n1: {', 'n4: { host: d }\n    n1: {')
      .replace('rate: 20', 'rate: 20, group: other')
      .replace('not: n1 }', 'not: n1 }, group: mymaster')
    expect(problemsOf(text)).toEqual([])
    const missing = text.replace('kill: n1', 'kill: the-master')
    expect(problemsOf(missing).join('\n')).toMatch(/timeline\[0\] {2}group is missing/)
    const named = text.replace('kill: n1', 'group: other, kill: the-master')
    expect(parse(named).steps[0]?.group).toBe('other')
  })
})
