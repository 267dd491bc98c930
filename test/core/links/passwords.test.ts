/** [auth-pass-also] Several passwords for the data nodes, so that they can be changed without a gap. */
import { expect, test } from 'vitest'
import { DEFAULT_GROUP } from '../../../src/core/config.ts'
import { error, OK, simple } from '../../../src/resp/reply.ts'
import { SentinelBench } from '../../support/sentinel-bench.ts'

const AT = '10.0.0.1:6379'
const NOAUTH = error('NOAUTH Authentication required.')

/** The master takes one password; on connections without it everything is refused. */
function bench(taken: string, authPassAlso: readonly string[], refusal = 'WRONGPASS no') {
  const rules = { name: 'g', host: '10.0.0.1', port: 6379, quorum: 9, downAfterMs: 1_000 }
  const made = new SentinelBench({
    groups: [{ ...DEFAULT_GROUP, ...rules, authPass: 'old', authPassAlso }],
  })
  const world = { bench: made, taken }
  const open = new Set<number>()
  made.answer = ([verb, password], address, link) => {
    if (address !== AT) return undefined
    if (verb === 'AUTH') {
      if (password !== world.taken) return error(refusal)
      open.add(link)
      return OK
    }
    if (open.has(link)) return verb === 'PING' ? simple('PONG') : undefined
    return NOAUTH
  }
  return world
}

function passwordsShown({ bench: { sent } }: ReturnType<typeof bench>): readonly string[] {
  return sent.filter(({ argv }) => argv[0] === 'AUTH').map(({ argv }) => argv[1] ?? '')
}

test('a node that refuses the first password is shown the next one within a round trip', () => {
  const world = bench('new', ['new'])
  world.bench.run(50)
  expect(passwordsShown(world)).toContain('new')
  world.bench.run(3_000)
  expect(world.bench.isDown(world.bench.group('g').master)).toBe(false)
})

test('so is a node of a version before 6, which says it in other words', () => {
  const world = bench('new', ['new'], 'ERR invalid password')
  world.bench.run(3_000)
  expect(world.bench.isDown(world.bench.group('g').master)).toBe(false)
})

test('the log says once that another one is taken, and no password', () => {
  const world = bench('third', ['new', 'third'])
  world.bench.run(60_000)
  const said = world.bench.logs.filter((line) => line.includes('another password'))
  expect(said).toHaveLength(1)
  expect(said[0]).toContain('number 3 of 3 (auth-pass, auth-pass-also)')
  expect(world.bench.logs.join()).not.toMatch(/\bthird\b/)
  expect(world.bench.logs.join()).not.toContain('refuses our password')
})

test('what was taken is shown first on later connections', () => {
  const world = bench('new', ['new'])
  world.bench.run(2_000)
  const before = passwordsShown(world).length
  world.bench.command('SENTINEL', 'RESET', 'g')
  world.bench.run(2_000)
  const later = passwordsShown(world).slice(before)
  expect(new Set(later)).toEqual(new Set(['new']))
})

test('a node whose password changes while it runs is never seen as down', () => {
  const world = bench('old', ['new'])
  world.bench.run(5_000)
  world.taken = 'new'
  world.bench.command('SENTINEL', 'SET', 'g', 'auth-pass', 'new')
  world.bench.run(30_000)
  expect(world.bench.logs.filter((line) => line.startsWith('+sdown'))).toEqual([])
})

test('a subscription that is opened anew takes the new password, and the other connection stays', () => {
  const world = bench('old', ['new'])
  world.bench.run(5_000)
  world.taken = 'new'
  const { link } = world.bench.group('g').master
  const command = link.command?.id
  world.bench.feed({
    kind: 'linkLost',
    link: link.pubsub?.id ?? 0,
    reason: 'reset',
    isRefused: false,
  })
  world.bench.run(5_000)
  expect(link.command?.id).toBe(command)
  expect(passwordsShown(world).at(-1)).toBe('new')
  expect(link.pubsub?.up).toBe(true)
})

test('where both connections are refused, the subscription first, the next password is shown all the same', () => {
  const world = bench('old', ['new'])
  world.bench.run(5_000)
  world.taken = 'new'
  world.bench.silent.add(AT)
  const { link } = world.bench.group('g').master
  for (const connection of [link.pubsub, link.command]) {
    const lost = connection?.id ?? 0
    world.bench.feed({ kind: 'linkLost', link: lost, reason: 'reset', isRefused: false })
  }
  world.bench.run(300)
  world.bench.silent.delete(AT)
  for (const connection of [link.pubsub, link.command]) {
    const reply = error('WRONGPASS no')
    world.bench.feed({ kind: 'reply', link: connection?.id ?? 0, purpose: { kind: 'auth' }, reply })
  }
  world.bench.run(50)
  expect(passwordsShown(world).at(-1)).toBe('new')
  expect(world.bench.logs.join()).not.toContain('refuses our password')
})

test('where none is taken each is tried once, and again with the next connection', () => {
  const world = bench('other', ['new'])
  world.bench.run(10_000)
  expect(new Set(passwordsShown(world))).toEqual(new Set(['old', 'new']))
  expect(passwordsShown(world).length).toBeLessThan(20)
  expect(world.bench.logs.join('\n')).toContain(
    'refuses our password (auth-pass, auth-pass-also of',
  )
  world.taken = 'old'
  world.bench.run(40_000)
  expect(world.bench.isDown(world.bench.group('g').master)).toBe(false)
})

test('SENTINEL SET adds one at a time, an empty one takes them away, and none is shown', () => {
  const { bench: made } = bench('old', [])
  made.run(1_000)
  for (const word of ['a1', 'b2', 'a1'])
    made.command('SENTINEL', 'SET', 'g', 'auth-pass-also', word)
  expect(made.group('g').config.authPassAlso).toEqual(['b2', 'a1'])
  expect(made.logs.join('\n')).not.toMatch(/a1|b2/)
  made.command('SENTINEL', 'SET', 'g', 'auth-pass-also', '')
  expect(made.group('g').config.authPassAlso).toEqual([])
})
