import { expect, test } from 'vitest'
import { refusalOf } from '../../../src/engine/process/engine.ts'
import type { HostCapabilities } from '../../../src/engine/process/machine.ts'
import { parseScenario } from '../../../src/scenario/parse.ts'
import type { ScenarioFile } from '../../../src/scenario/scenario-file.ts'

const ALL: HostCapabilities = {
  missing: [],
  ...{ canDelay: true, canThrottle: true, canReset: true, hasRedis: true },
}
const OURS = { against: 'vedette', missingBuild: undefined } as const

function scenario(step: string, topology = '', client = ''): ScenarioFile {
  const text = `
name: a test
story: of refusals
topology:
  ${topology}
  groups: { mymaster: { master: n1, quorum: 1 } }
  nodes: { n1: { host: a } }
  sentinels: { s1: { host: b } }
workload: { clients: { app: { host: c${client} } } }
timeline:
  - { at: 1s, as: kill, kill: n1 }
  - ${step}
expect:
  - { writes-work: true, within: 1s }
`
  const parsed = parseScenario(text, 'test.yml')
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join('; '))
  return parsed.value
}

test('what real processes cannot do is refused with the step', () => {
  const file = scenario('{ at: 2s, as: jump, clock-jump: { process: s1, by: 1s } }')
  expect(refusalOf(file, ALL, OURS)).toBe(
    'step 2 (jump), clock of s1 jumps by 1000 ms: real processes share the clock of the machine',
  )
})

test('a slow link needs netem', () => {
  const file = scenario('{ at: 2s, shape: { between: [a, b], latency: 50ms } }')
  expect(refusalOf(file, ALL, OURS)).toBeUndefined()
  expect(refusalOf(file, { ...ALL, canDelay: false }, OURS)).toContain('modprobe sch_netem')
})

test('loss needs no queue', () => {
  const file = scenario('{ at: 2s, shape: { between: [a, b], loss: 0.1 } }')
  const bare = { ...ALL, canDelay: false, canThrottle: false }
  expect(refusalOf(file, bare, OURS)).toBeUndefined()
})

test('a long way needs netem, the way across a small network does not', () => {
  const bare = { ...ALL, canDelay: false }
  const step = '{ at: 2s, heal: true }'
  expect(refusalOf(scenario(step), bare, OURS)).toBeUndefined()
  expect(refusalOf(scenario(step, 'latency: 40ms'), bare, OURS)).toContain('latency of up to 41 ms')
})

test('no checker hears what half-closed connections of real processes are owed; a proxy is played', () => {
  const step = '{ at: 2s, heal: true }'
  expect(refusalOf(scenario(step, '', ', half-closes: true'), ALL, OURS)).toBe(
    'topology: whether half-closed connections of app are answered cannot be seen on real processes',
  )
  expect(refusalOf(scenario(step, '', ', proxy: true'), ALL, OURS)).toBeUndefined()
})

test('everything that is missing is told at once, with the way out', () => {
  const machine = { ...ALL, hasRedis: false, missing: ['it is not run as root (run it with sudo)'] }
  const means = { against: 'mixed', missingBuild: 'main.js is missing' } as const
  expect(refusalOf(scenario('{ at: 2s, heal: true }'), machine, means)).toBe(
    'real processes in network namespaces cannot be had here: it is not run as root (run it with sudo); ' +
      'main.js is missing; redis-server and redis-sentinel are not installed (packages of these names)',
  )
})
