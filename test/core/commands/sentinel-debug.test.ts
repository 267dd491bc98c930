import { expect, test } from 'vitest'
import { DEFAULT_PERIODS } from '../../../src/core/config.ts'
import { step } from '../../../src/core/step.ts'
import { REPLICAS, TestSentinel } from '../../support/sentinel-builder.ts'
import { wireMap } from '../../support/wire.ts'

const DEFAULTS = wireMap(
  ...['INFO-PERIOD', '10000', 'PING-PERIOD', '1000', 'ASK-PERIOD', '1000'],
  ...['PUBLISH-PERIOD', '2000', 'DEFAULT-DOWN-AFTER', '30000'],
  ...['DEFAULT-FAILOVER-TIMEOUT', '180000', 'TILT-TRIGGER', '2000', 'TILT-PERIOD', '30000'],
  ...['SLAVE-RECONF-TIMEOUT', '10000', 'MIN-LINK-RECONNECT-PERIOD', '15000'],
  ...['ELECTION-TIMEOUT', '10000', 'SCRIPT-MAX-RUNTIME', '60000', 'SCRIPT-RETRY-DELAY', '30000'],
)

test('SENTINEL DEBUG shows the thirteen periods', () => {
  expect(new TestSentinel().connect().ask('SENTINEL DEBUG')).toBe(DEFAULTS)
})

const MISTAKES: readonly (readonly [words: string, answer: string])[] = [
  ['foo 1', "-ERR Unknown option or number of arguments for SENTINEL DEBUG 'foo'\r\n"],
  [
    'Info-Period',
    "-ERR Unknown option or number of arguments for SENTINEL DEBUG 'Info-Period'\r\n",
  ],
  ['info-period 0', "-ERR Invalid argument '0' for SENTINEL DEBUG 'info-period'\r\n"],
  ['ASK-PERIOD -5', "-ERR Invalid argument '-5' for SENTINEL DEBUG 'ASK-PERIOD'\r\n"],
  ['ping-period 1s', "-ERR Invalid argument '1s' for SENTINEL DEBUG 'ping-period'\r\n"],
]

for (const [words, answer] of MISTAKES) {
  test(`SENTINEL DEBUG ${words} changes nothing`, () => {
    const sentinel = new TestSentinel()
    expect(sentinel.connect().ask(`SENTINEL DEBUG ${words}`)).toBe(answer)
    expect(sentinel.state.config.periods).toEqual(DEFAULT_PERIODS)
  })
}

test('every period can be changed under its own name, and nothing is saved', () => {
  const sentinel = new TestSentinel()
  const client = sentinel.connect()
  const names = [...DEFAULTS.matchAll(/[A-Z]+(-[A-Z]+)+/g)].map(([name]) => name)
  const words = names.flatMap((name, index) => [name.toLowerCase(), String(index + 1)])
  expect(client.ask(`SENTINEL DEBUG ${words.join(' ')}`)).toBe('+OK\r\n')
  expect(client.ask('SENTINEL DEBUG')).toBe(
    wireMap(...names.flatMap((name, index) => [name, String(index + 1)])),
  )
  expect(sentinel.effects.filter(({ kind }) => kind === 'save')).toEqual([])
})

test('what stands before a mistake stays in force', () => {
  const sentinel = new TestSentinel()
  sentinel.connect().ask('SENTINEL DEBUG info-period 7 foo 1')
  expect(sentinel.state.config.periods.infoMs).toBe(7)
})

test('a shorter period counts from now on, not from the next round on', () => {
  const sentinel = new TestSentinel({ replicas: REPLICAS })
  const { state, group } = sentinel
  const [replica] = group.replicas.values()
  state.timers.set(group.master, 'info', sentinel.now.monoMs + 10_000)
  sentinel.connect().ask('SENTINEL DEBUG info-period 300 publish-period 200 ping-period 100')
  const due = (name: 'info' | 'hello') =>
    (replica?.deadlines.get(name)?.atMs ?? 0) - sentinel.now.monoMs
  expect(group.master.deadlines.get('info')?.atMs).toBe(sentinel.now.monoMs + 300)
  expect(due('hello')).toBe(200)
  const pingAtMs = replica?.link.deadlines.get('ping')?.atMs ?? Infinity
  expect(pingAtMs - sentinel.now.monoMs).toBeLessThanOrEqual(100)
  sentinel.advance(1000)
  sentinel.run((turn) => turn.effects.push(...step(turn.state, turn.now, { kind: 'wake' })))
  const sent = sentinel.effects.flatMap((one) => (one.kind === 'send' ? [one.argv[0]] : []))
  expect(new Set(sent)).toEqual(new Set(['PING', 'INFO', 'PUBLISH']))
})

test('a longer period does not move what was promised for earlier', () => {
  const sentinel = new TestSentinel()
  const { master } = sentinel.group
  const before = master.deadlines.get('hello')
  sentinel.connect().ask('SENTINEL DEBUG publish-period 60000')
  expect(master.deadlines.get('hello')).toEqual(before)
})

test('groups made at run time get the default periods of the moment', () => {
  const sentinel = new TestSentinel()
  const client = sentinel.connect()
  client.ask('SENTINEL DEBUG default-down-after 77 default-failover-timeout 88')
  client.ask('SENTINEL MONITOR later 10.0.0.9 6379 1')
  expect(sentinel.state.groups.get('later')?.config).toMatchObject({
    downAfterMs: 77,
    failoverTimeoutMs: 88,
  })
  expect(sentinel.group.config.downAfterMs).toBe(30_000)
})

test.each([
  ['crash-after-election', 1, '+elected-leader', '+failover-state-select-slave'],
  ['Crash-After-Promotion', 2, '+promoted-slave', '+failover-state-reconf-slaves'],
])('%s ends the process with status 99 at that moment', (word, flag, last, never) => {
  const sentinel = new TestSentinel({ replicas: REPLICAS })
  const client = sentinel.connect()
  expect(client.ask(`SENTINEL SIMULATE-FAILURE ${word}`)).toBe('+OK\r\n')
  expect(client.ask('INFO sentinel')).toContain(`sentinel_simulate_failure_flags:${flag}\r\n`)
  client.ask('SENTINEL FAILOVER mymaster')
  becomeMaster(sentinel)
  const exit = sentinel.effects.findIndex((one) => one.kind === 'exit' && one.status === 99)
  expect(exit).toBeGreaterThan(0)
  // Whoever carries effects out stops at the exit; what stands behind it is never done.
  const events = sentinel.effects
    .slice(0, exit)
    .flatMap((one) => (one.kind === 'log' ? [one.text.split(' ')[0]] : []))
  expect(events).toContain(last)
  expect(events).not.toContain(never)
})

/** Both replicas say what they are, and the chosen one then that it is a master. */
function becomeMaster(sentinel: TestSentinel): void {
  for (const role of ['slave', 'slave', 'master', 'master']) {
    sentinel.advance(10)
    for (const replica of [...sentinel.group.replicas.values()]) {
      if (role === 'master' && !replica.promoted) continue
      const link = replica.link.command?.id
      if (link === undefined) continue
      const text = `run_id:${'9'.repeat(40)}\r\nrole:${role}\r\nmaster_link_status:up\r\nslave_priority:100\r\n`
      const event = {
        kind: 'reply',
        link,
        purpose: { kind: 'info' },
        reply: { kind: 'bulk', bytes: text },
      } as const
      sentinel.run((turn) => turn.effects.push(...step(turn.state, turn.now, event)))
    }
  }
}

test('SIMULATE-FAILURE HELP names the moments, and every call forgets what was asked for before', () => {
  const sentinel = new TestSentinel()
  const client = sentinel.connect()
  client.ask('SENTINEL SIMULATE-FAILURE crash-after-election crash-after-promotion')
  expect(client.ask('INFO sentinel')).toContain('sentinel_simulate_failure_flags:3\r\n')
  expect(client.ask('SENTINEL SIMULATE-FAILURE help')).toBe(
    '*2\r\n$20\r\ncrash-after-election\r\n$21\r\ncrash-after-promotion\r\n',
  )
  expect(client.ask('INFO sentinel')).toContain('sentinel_simulate_failure_flags:0\r\n')
  expect(client.ask('SENTINEL SIMULATE-FAILURE crash-after-lunch')).toBe(
    '-ERR Unknown failure simulation specified\r\n',
  )
})
