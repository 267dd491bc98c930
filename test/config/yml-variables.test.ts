// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are references of a sentinel.yml
/** Values of a sentinel.yml that stand elsewhere, and options that all groups share. */
import { describe, expect, test } from 'vitest'
import { type ConfOutside, NO_OUTSIDE } from '../../src/config/config-filesystem.ts'
import { parseSentinelYml } from '../../src/config/sentinel-yml.ts'

const VARIABLES: Readonly<Record<string, string>> = {
  PASS: 'from the environment',
  HOST: '10.0.0.7',
  PORT: '26380',
  EMPTY: '',
}
const FILES: Readonly<Record<string, string>> = {
  '/run/secrets/redis': 'from a file\n',
  '/run/secrets/two-lines': 'a\nb\n',
}

const OUTSIDE: ConfOutside = {
  ...NO_OUTSIDE,
  variable: (name) => VARIABLES[name],
  secretFile: (path) => {
    const text = FILES[path]
    return text === undefined ? { ok: false, reason: 'ENOENT' } : { ok: true, text }
  },
}

function parse(...lines: string[]) {
  return parseSentinelYml(`${lines.join('\n')}\n`, 'sentinel.yml', OUTSIDE)
}

function group(...lines: string[]) {
  const parsed = parse('groups:', '  g:', '    master: 10.0.0.1:6379', '    quorum: 2', ...lines)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  return parsed.value.core.groups[0]
}

function problems(...lines: string[]) {
  const parsed = parse(...lines)
  return parsed.ok ? [] : parsed.problems
}

const ONE_GROUP = ['groups:', '  g:', '    master: 10.0.0.1:6379', '    quorum: 2']

describe('values that stand elsewhere', () => {
  test('a variable of the environment and the line of a file', () => {
    expect(group('    auth-pass: ${env:PASS}')?.authPass).toBe('from the environment')
    expect(group('    auth-pass: ${file:/run/secrets/redis}')?.authPass).toBe('from a file')
  })

  test('as a part of a value, as a number, and in a list', () => {
    const parsed = parse(
      'port: ${env:PORT}',
      'groups:',
      '  g:',
      '    quorum: 2',
      '    master: "${env:HOST}:6379"',
    )
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
    expect(parsed.value.core.port).toBe(26_380)
    expect(parsed.value.core.groups[0]?.host).toBe('10.0.0.7')
    const both = group('    auth-pass: [old, "${file:/run/secrets/redis}"]')
    expect(both).toMatchObject({ authPass: 'old', authPassAlso: ['from a file'] })
  })

  test('an empty variable is a value', () => {
    expect(group('    auth-pass: ${env:EMPTY}')?.authPass).toBe('')
  })

  test('a second dollar makes it plain text, and no other dollar has a meaning', () => {
    expect(group('    auth-pass: $${env:PASS}')?.authPass).toBe('${env:PASS}')
    expect(group('    auth-pass: "pa$$ ${x} $1"')?.authPass).toBe('pa$$ ${x} $1')
  })

  test.each([
    ['${env:NOPE}', 'there is no variable "NOPE" in the environment'],
    ['${file:/no/such}', 'cannot read /no/such: ENOENT'],
    ['${file:/run/secrets/two-lines}', '/run/secrets/two-lines has more than one line'],
  ])('%s is an error with file, line and variable', (value, message) => {
    const [problem, ...more] = problems(...ONE_GROUP, `    auth-pass: ${value}`)
    expect(more).toEqual([])
    expect(problem).toMatchObject({ file: 'sentinel.yml', line: 5, path: 'groups.g.auth-pass' })
    expect(problem?.message).toBe(`${value}: ${message}`)
  })

  test('what looks like a variable of a shell is text, with a warning', () => {
    const parsed = parse(...ONE_GROUP, '    auth-pass: ${PASS}')
    if (!parsed.ok) throw new Error('it is no error')
    expect(parsed.value.core.groups[0]?.authPass).toBe('${PASS}')
    expect(parsed.warnings).toMatchObject([
      { code: 'W_LITERAL', line: 5, hint: 'a variable is ${env:PASS}' },
    ])
  })
})

describe('defaults for all groups', () => {
  const TWO = [
    '  a: { master: 10.0.0.1:6379 }',
    '  b: { master: 10.0.0.2:6379, down-after: 9s, zones: {} }',
  ]
  const DEFAULTS = ['defaults:', '  quorum: 2', '  down-after: 5s', '  zones: {"10.0.*": north}']

  test('every group has them, and its own options come first', () => {
    const parsed = parse(...DEFAULTS, 'groups:', ...TWO)
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
    expect(parsed.value.core.groups).toMatchObject([
      { name: 'a', quorum: 2, downAfterMs: 5_000, zones: [['10.0.*', 'north']] },
      { name: 'b', quorum: 2, downAfterMs: 9_000, zones: [] },
    ])
  })

  test('a mistake in them is shown once, in its own line', () => {
    const found = problems(
      'defaults:',
      '  quorum: 2',
      '  down-after: soon',
      '  quorun: 3',
      'groups:',
      ...TWO,
    )
    expect(found).toMatchObject([
      { line: 3, path: 'defaults.down-after', code: 'E_TYPE' },
      { line: 4, path: 'defaults.quorun', code: 'E_UNKNOWN', hint: 'did you mean quorum?' },
    ])
  })

  test('no group can inherit its master', () => {
    const found = problems('defaults:', '  master: 10.0.0.1:6379', '  quorum: 2', 'groups:', ...TWO)
    expect(found).toMatchObject([{ line: 2, message: 'each group has its own master' }])
  })

  test('they must be a map; nothing at all is no mistake', () => {
    expect(problems('defaults: [1]', ...ONE_GROUP)).toMatchObject([
      { message: 'must be a map of options' },
    ])
    expect(problems('defaults:', ...ONE_GROUP)).toEqual([])
  })

  test('passwords and secrets can be inherited', () => {
    const parsed = parse('defaults:', '  auth-pass: ["${env:PASS}", b]', ...ONE_GROUP)
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
    expect(parsed.value.core.groups).toMatchObject([
      { authPass: 'from the environment', authPassAlso: ['b'] },
    ])
  })

  test('a warning about an inherited option points at the defaults', () => {
    const parsed = parse('defaults:', '  quorum: 2', ...ONE_GROUP.slice(0, 3))
    if (!parsed.ok) throw new Error('it is sound')
    expect(parsed.value.locations.get('groups.g.quorum')).toMatchObject({ line: 2 })
  })
})
