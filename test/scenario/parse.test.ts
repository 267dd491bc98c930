import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { ACTIONS } from '../../src/scenario/language/actions.ts'
import { CLAIMS } from '../../src/scenario/language/schema-claims.ts'
import { parseScenario } from '../../src/scenario/parse.ts'
import { altered, parse, problemsOf, SOUND } from './support.ts'

test('a sound scenario has no problems', () => {
  expect(problemsOf(SOUND)).toEqual([])
})

describe('problems name their place and a way out', () => {
  test.each([
    ['a text that is no YAML', 'name: A test', 'name: [A test', /^test\.yml:\d+:\d+ .+/],
    [
      'a slip in a key',
      'quorum: 2',
      'quorom: 2',
      /test\.yml:6:29 {2}topology\.groups\.mymaster\.quorom {2}is not known here {2}\(did you mean quorum\?\)/,
    ],
    ['a missing key', 'quorum: 2, ', '', /topology\.groups\.mymaster\.quorum {2}is missing/],
    [
      'a bare number for a time',
      'at: 5s',
      'at: 5',
      /test\.yml:21:7 {2}timeline\[0\]\.at {2}must be a time {2}\(write 3s, the name of a step/,
    ],
    [
      'an unknown process',
      'kill: n1 }',
      'kill: n7 }',
      /timeline\[0\]\.kill {2}no process is called n7 {2}\(there are n1, n2, n3, s1, s2, s3, app\)/,
    ],
    [
      'an unknown step',
      'after: kill',
      'after: kil + 1s',
      /expect\[0\]\.after {2}no step is called kil {2}\(there are kill\)/,
    ],
    [
      'an unknown host',
      'kill: n1 }',
      'partition: [[a], [zebra]] }',
      /timeline\[0\]\.partition\[1\] {2}no host is called zebra {2}\(there are a, b, c, d\)/,
    ],
    [
      'an event nobody publishes',
      '{ master: { not: n1 }, after: kill, within: 2s }',
      '{ event: { name: +swich-master }, never: true }',
      /expect\[0\]\.event\.name {2}no published event is called \+swich-master {2}\(did you mean \+switch-master\?\)/,
    ],
    [
      'an event of the log alone',
      '{ master: { not: n1 }, after: kill, within: 2s }',
      '{ event: { name: -cmd-link-reconnection, at-most: 0 } }',
      /expect\[0\]\.event\.name {2}no published event is called -cmd-link-reconnection/,
    ],
    ['no action', ', kill: n1', '', /timeline\[0\] {2}must have exactly one of kill,.*it has none/],
    ['two actions', 'kill: n1', 'kill: n1, pause: n2', /it has kill and pause/],
    ['no time', ', within: 2s', '', /must say when, in one way {2}\(write within: 5s/],
    ['two times', 'within: 2s', 'within: 2s, always: true', /must say when, in one way/],
    [
      'a moment that should last',
      '{ master: { not: n1 }, after: kill, within: 2s }',
      '{ event: { name: +tilt }, always: true }',
      /expect\[0\]\.always {2}cannot hold all the time {2}\(it happens at a moment/,
    ],
    [
      'a time for what is counted',
      '{ master: { not: n1 }, after: kill, within: 2s }',
      '{ lost-writes: { at-most: 0 }, within: 2s }',
      /expect\[0\]\.within {2}has no meaning/,
    ],
    [
      'a count without a number',
      '{ master: { not: n1 }, after: kill, within: 2s }',
      '{ lost-writes: { cause: split-brain } }',
      /expect\[0\]\.lost-writes {2}has no number {2}\(write at-most or at-least/,
    ],
    [
      'a directive the node does not know',
      'repl-diskless-sync-delay: 0',
      'repl-diskles-sync-delay: 0',
      /topology\.settings\.repl-diskles-sync-delay {2}unknown directive/,
    ],
    [
      'a value the node refuses',
      'repl-diskless-sync-delay: 0',
      'min-replicas-to-write: many',
      /topology\.settings\.min-replicas-to-write/,
    ],
    [
      'a master that is no node',
      'master: n1, quorum',
      'master: n9, quorum',
      /no node is called n9/,
    ],
    [
      'a node of no group',
      'n2: { host: b, replica-of: n1 }',
      'n2: { host: b }',
      /belongs to no group/,
    ],
    [
      'a circle of replicas',
      'n1: { host: a }',
      'n1: { host: a, replica-of: n2 }',
      /belongs to no group/,
    ],
    [
      'a port for two',
      's1: { host: a }',
      's1: { host: a, port: 6379 }',
      /port 6379 of host a is taken by n1/,
    ],
    [
      'a name for two',
      's1: { host: a }',
      'n1: { host: a }',
      /sentinels\.n1 {2}n1 is a name already/,
    ],
    [
      'a negative deadline',
      'within: 2s',
      'within: -2s',
      /expect\[0\]\.within {2}must not be negative/,
    ],
    [
      'a time that ends before it begins',
      'after: kill, within: 2s',
      'never: true, after: kill + 3s, until: kill + 2s',
      /expect\[0\]\.until {2}is before the moment at which the time begins/,
    ],
  ])('%s', (_what, piece, by, problem) => {
    expect(problemsOf(altered(piece, by)).join('\n')).toMatch(problem)
  })
})

test('all problems are told at once, in the order of the file', () => {
  const text = altered('quorum: 2', 'quorum: 0').replace('at: 5s', 'at: -5s')
  const problems = problemsOf(text)
  expect(problems).toHaveLength(2)
  expect(problems[0]).toContain('quorum')
  expect(problems[1]).toContain('timeline[0].at')
})

/** Nine to the power of nine words, if aliases were followed without limit. */
const BOMB = 'abcdefghi'
  .split('')
  .map(
    (key, index, keys) =>
      `${key}: &${key} [${`${index ? `*${keys[index - 1]}` : 'x'},`.repeat(9)}]`,
  )
  .join('\n')

test.each(['', '5', '[]', 'name: 1', '{', '\u0000', 'a: &a [*a]', 'a: *b', BOMB, 'timeline: {}'])(
  'no text makes the parser crash: %j',
  (text) => {
    expect(problemsOf(text).length).toBeGreaterThan(0)
  },
)

test('programs of one kind on one host get neighbouring ports', () => {
  const { topology } = parse(
    SOUND.replaceAll('host: b', 'host: a').replaceAll('host: c', 'host: a'),
  )
  expect(topology.nodes.map(({ port }) => port)).toEqual([6379, 6380, 6381])
  expect(topology.sentinels.map(({ port }) => port)).toEqual([26379, 26380, 26381])
})

test('a chained replica belongs to the group of the master at its end', () => {
  const { topology } = parse(
    altered('n3: { host: c, replica-of: n1 }', 'n3: { host: c, replica-of: n2 }'),
  )
  expect(topology.nodes.map(({ group }) => group)).toEqual(['mymaster', 'mymaster', 'mymaster'])
})

test('settings of a node go before those of all', () => {
  const { topology } = parse(
    altered('n2: { host: b,', 'n2: { host: b, settings: { repl-diskless-sync-delay: 3 },'),
  )
  const delays = topology.nodes.map(({ directives }) => directives.get('repl-diskless-sync-delay'))
  expect(delays).toEqual(['0', '3', '0'])
})

const SHIPPED = new URL('../../scenarios/', import.meta.url)

test.each(readdirSync(SHIPPED).filter((file) => file.endsWith('.yml')))('%s is sound', (file) => {
  expect(problemsOf(readFileSync(new URL(file, SHIPPED), 'utf8'))).toEqual([])
})

const DOCS = readFileSync(new URL('../../docs/scenarios.md', import.meta.url), 'utf8')

test('the whole scenario in the documentation is sound', () => {
  const [, example = ''] = /```yaml\n(name:.*?)```/s.exec(DOCS) ?? []
  expect(problemsOf(example)).toEqual([])
})

test('the documentation tells every action and every claim', () => {
  const untold = [...Object.keys(ACTIONS), ...Object.keys(CLAIMS)].filter(
    (key) => !DOCS.includes(`\`${key}: `),
  )
  expect(untold).toEqual([])
})

test('the documentation has a row for every shipped scenario, and for no other', () => {
  const rows = [...DOCS.matchAll(/^\| `(\d\d-.*\.yml)` \|/gm)].map(([, file = '']) => file)
  const shipped = readdirSync(SHIPPED).filter((file) => file.endsWith('.yml'))
  expect(rows).toEqual(shipped.sort())
})

test('a world of more than five hundred processes is refused before it is looked at', () => {
  const nodes = Array.from({ length: 600 }, (_, at) => `    x${at}: { host: h${at} }\n`).join('')
  const shipped = readFileSync(new URL('01-master-killed.yml', SHIPPED), 'utf8')
  const parsed = parseScenario(shipped.replace(/ {2}nodes:\n/, `  nodes:\n${nodes}`), 'big.yml')
  expect(parsed.ok ? [] : parsed.problems).toMatchObject([
    {
      code: 'E_RANGE',
      path: 'topology',
      message: expect.stringContaining('at most 500 can be played'),
    },
  ])
})

test('a key that stands twice is found where it stands again, among however many', () => {
  const parsed = parseScenario('name: a\nstory: b\nname: c\n', 'twice.yml')
  expect(parsed.ok ? [] : parsed.problems[0]).toMatchObject({
    line: 3,
    message: 'Map keys must be unique',
  })
})

test('two documents in a file are told of in words for its author', () => {
  const parsed = parseScenario('name: a\n---\nname: b\n', 'two.yml')
  expect(parsed.ok ? [] : parsed.problems).toMatchObject([
    { line: 2, message: 'more than one document (---) in the file' },
  ])
})

test('brackets without an end are told of, not followed', () => {
  const parsed = parseScenario(`name: ${'['.repeat(50_000)}`, 'deep.yml')
  expect(parsed.ok ? [] : parsed.problems).toMatchObject([{ message: 'nested too deeply' }])
})

test.each([
  ['{ event: { name: +odown, within: 2s }, after: kill }', 'event'],
  ['{ master: { not: n1, according-to: [s2] }, after: kill, within: 2s }', 'master'],
])('what stands in a claim and belongs beside it is told so: %s', (expectation, claim) => {
  const text = altered('{ master: { not: n1 }, after: kill, within: 2s }', expectation)
  expect(problemsOf(text).join()).toContain(
    `is not known here  (write it beside ${claim}, not in it)`,
  )
})

describe('a hint shows what was meant', () => {
  test.each([
    [
      'lost-writes: 0',
      'expect[0].lost-writes  must be a mapping  (known here: at-most, at-least, acknowledged-by, cause)',
    ],
    ['failovers: 1', 'expect[0].failovers  must be a mapping  (known here: at-most, at-least)'],
  ])('for a claim without its mapping: %s', (claim, problem) => {
    const text = altered('{ master: { not: n1 }, after: kill, within: 2s }', `{ ${claim} }`)
    expect(problemsOf(text).join()).toContain(problem)
  })

  test.each([
    ['appendonly: true', 'settings.appendonly  must be a text or a number  (write yes)'],
    [
      'min-replica-to-write: 1',
      "unknown directive 'min-replica-to-write'  (did you mean min-replicas-to-write?)",
    ],
  ])('for a directive of redis.conf: %s', (directive, problem) => {
    const text = altered('settings: { repl-diskless-sync-delay: 0 }', `settings: { ${directive} }`)
    expect(problemsOf(text).join()).toContain(problem)
  })
})

describe('a key that is known elsewhere, or nowhere, is told what is known at its place', () => {
  test.each([
    ['  clients:', '  client:', 'workload.client  is not known here  (did you mean clients?)'],
    [
      's1: { host: a }',
      's1: { host: a, replica-of: n1 }',
      'topology.sentinels.s1.replica-of  is not known here  (known here: host, port, joins-later)',
    ],
    [
      'kill: n1 }',
      'restart: { process: n1, disc: empty } }',
      'restart.disc  is not known here  (did you mean disk?)',
    ],
    [
      '{ master: { not: n1 }, after: kill, within: 2s }',
      '{ outage: { at-most: 3s, clients: app } }',
      'expect[0].outage.clients  is not known here  (did you mean client?)',
    ],
  ])('%s written as %s', (from, to, problem) => {
    expect(problemsOf(altered(from, to)).join()).toContain(problem)
  })
})
