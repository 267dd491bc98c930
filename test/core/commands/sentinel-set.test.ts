import { expect, test } from 'vitest'
import { onInquired } from '../../../src/core/step.ts'
import { encodeCommand } from '../../../src/resp/encode.ts'
import { MYMASTER, type TestClient, TestSentinel } from '../../support/sentinel-builder.ts'

const DENIED =
  '-ERR Reconfiguration of scripts path is denied for security reasons. ' +
  'Check the deny-scripts-reconfig configuration directive in your Sentinel configuration\r\n'

/** Answers the questions after executables, one after another: those in `exists` can be run. */
function answerQuestions(sentinel: TestSentinel, exists: readonly string[]): string[] {
  const asked: string[] = []
  while (sentinel.effects.length > 0) {
    const effect = sentinel.effects.shift()
    if (effect?.kind !== 'inquire' || effect.question.kind !== 'executable') continue
    const { path } = effect.question
    asked.push(path)
    const answer = { kind: 'executable', isExecutable: exists.includes(path) } as const
    sentinel.run((turn) => onInquired(turn, effect.inquiry, answer))
  }
  return asked
}

/** Answers that every executable is there; gives the scripts that are run, each with its payload. */
function scriptsCalled(sentinel: TestSentinel): string[] {
  const called: string[] = []
  for (let effect = sentinel.effects.shift(); effect; effect = sentinel.effects.shift()) {
    if (effect.kind === 'runScript') called.push(`${effect.argv[0]} ${effect.argv[2]}`)
    if (effect.kind !== 'inquire') continue
    const { inquiry } = effect
    const answer = { kind: 'executable', isExecutable: true } as const
    sentinel.run((turn) => onInquired(turn, inquiry, answer))
  }
  return called
}

function open(): { sentinel: TestSentinel; client: TestClient } {
  const sentinel = new TestSentinel({ denyScriptsReconfig: false })
  return { sentinel, client: sentinel.connect() }
}

test('scripts may not be changed unless the file allows it, and nobody looks for them', () => {
  const sentinel = new TestSentinel()
  const client = sentinel.connect()
  for (const words of ['notification-script /bin/true', 'client-reconfig-script ""']) {
    expect(client.ask(`SENTINEL SET mymaster ${words}`)).toBe(DENIED)
  }
  expect(sentinel.effects).toEqual([])
})

test('a script is looked for before it is set, and shown afterwards', () => {
  const { sentinel, client } = open()
  const words = 'notification-script /n Client-Reconfig-Script /c'
  expect(client.ask(`SENTINEL SET mymaster ${words}`)).toBe('')
  expect(sentinel.group.config).toEqual(MYMASTER)
  expect(answerQuestions(sentinel, ['/n', '/c'])).toEqual(['/n', '/c'])
  expect(client.read()).toBe('+OK\r\n')
  expect(sentinel.group.config).toMatchObject({
    notificationScript: '/n',
    clientReconfigScript: '/c',
  })
  expect(client.ask('SENTINEL MASTER mymaster')).toMatch(
    /parallel-syncs\r\n\$1\r\n1\r\n\$19\r\nnotification-script\r\n\$2\r\n\/n\r\n\$22\r\nclient-reconfig-script\r\n\$2\r\n\/c\r\n\$9\r\ndetection\r\n/,
  )
})

test('a script that cannot be run is refused, and what stands before it stays', () => {
  const { sentinel, client } = open()
  client.ask('SENTINEL SET mymaster quorum 5 notification-script /none parallel-syncs 9')
  answerQuestions(sentinel, [])
  expect(client.read()).toBe('-ERR Notification script seems non existing or non executable\r\n')
  expect(sentinel.group.config).toMatchObject({ quorum: 5, parallelSyncs: 1 })
  client.ask('SENTINEL SET mymaster client-reconfig-script /none')
  answerQuestions(sentinel, [])
  expect(client.read()).toBe(
    '-ERR Client reconfiguration script seems non existing or non executable\r\n',
  )
})

test('an empty path takes a script away without a question', () => {
  const { sentinel, client } = open()
  sentinel.group.config = { ...sentinel.group.config, notificationScript: '/n' }
  expect(client.ask('SENTINEL SET mymaster notification-script ""')).toBe('+OK\r\n')
  expect(sentinel.group.config.notificationScript).toBe('')
})

test('a new notification script is called with the change that names it, and the old one no more', () => {
  const { sentinel, client } = open()
  sentinel.group.config = { ...sentinel.group.config, notificationScript: '/old' }
  const called = (words: string) => {
    client.ask(`SENTINEL SET mymaster ${words}`)
    return scriptsCalled(sentinel)
  }
  const set = 'master mymaster 10.0.0.1 6379'
  expect(called('quorum 3 notification-script /new parallel-syncs 2')).toEqual([
    `/old ${set} quorum 3`,
    `/new ${set} notification-script /new`,
    `/new ${set} parallel-syncs 2`,
  ])
  expect(called('notification-script ""')).toEqual([])
})

test('while a script is looked for, other clients are served and the group may go', () => {
  const { sentinel, client } = open()
  client.ask('SENTINEL SET mymaster notification-script /n')
  expect(sentinel.connect().ask('SENTINEL REMOVE mymaster')).toBe('+OK\r\n')
  answerQuestions(sentinel, ['/n'])
  expect(client.read()).toBe('-ERR No such master with that name\r\n')
})

test('a value is not taken for the name of an option', () => {
  const { sentinel, client } = open()
  const argv = ['auth-pass', 'notification-script', 'rename-command', 'notification-script', '/n']
  expect(client.send(encodeCommand(['SENTINEL', 'SET', 'mymaster', ...argv]))).toBe('+OK\r\n')
  expect(sentinel.effects.filter(({ kind }) => kind === 'inquire')).toEqual([])
  expect(sentinel.group.config.renamedCommands).toEqual([['notification-script', '/n']])
})

test('a command is renamed, renamed again, and goes by its own name when renamed to that', () => {
  const { sentinel, client } = open()
  const renames = () => sentinel.group.config.renamedCommands
  client.ask('SENTINEL SET mymaster rename-command PING gnip rename-command config x')
  expect(renames()).toEqual([
    ['ping', 'gnip'],
    ['config', 'x'],
  ])
  client.ask('SENTINEL SET mymaster rename-command Ping other')
  expect(renames()).toEqual([
    ['config', 'x'],
    ['ping', 'other'],
  ])
  client.ask('SENTINEL SET mymaster rename-command ping PING')
  expect(renames()).toEqual([['config', 'x']])
})

test('an event tells both words of a rename, as they were typed', () => {
  const { sentinel, client } = open()
  client.ask('SENTINEL SET mymaster Rename-Command PING gnip')
  expect(sentinel.effects).toContainEqual(
    expect.objectContaining({
      kind: 'log',
      level: 'warning',
      text: '+set master mymaster 10.0.0.1 6379 Rename-Command PING gnip',
    }),
  )
})

const MISTAKES: readonly (readonly [words: string, text: string])[] = [
  [
    'rename-command ping',
    "Unknown option or number of arguments for SENTINEL SET 'rename-command'",
  ],
  ['rename-command "" x', "Invalid argument '' for SENTINEL SET 'rename-command'"],
  ['rename-command x ""', "Invalid argument '' for SENTINEL SET 'rename-command'"],
  [
    'master-reboot-down-after-period -1',
    "Invalid argument '-1' for SENTINEL SET 'master-reboot-down-after-period'",
  ],
  ['notification-script', "wrong number of arguments for 'sentinel|set' command"],
  ['detection guess', "Invalid argument 'guess' for SENTINEL SET 'detection'"],
  ['detection ""', "Invalid argument '' for SENTINEL SET 'detection'"],
  ['refused-after 0', "Invalid argument '0' for SENTINEL SET 'refused-after'"],
  ['Refused-After 250ms', "Invalid argument '250ms' for SENTINEL SET 'Refused-After'"],
  ['gray-after -1', "Invalid argument '-1' for SENTINEL SET 'gray-after'"],
]

for (const [words, text] of MISTAKES) {
  test(`SENTINEL SET mymaster ${words} is refused as C Sentinel does`, () => {
    const { sentinel, client } = open()
    expect(client.ask(`SENTINEL SET mymaster ${words}`)).toBe(`-ERR ${text}\r\n`)
    expect(sentinel.group.config).toEqual(MYMASTER)
  })
}

test('the reboot period goes by two names', () => {
  const { sentinel, client } = open()
  const { group } = sentinel
  client.ask('SENTINEL SET mymaster master-reboot-down-after-period 5')
  expect(group.config.rebootDownAfterMs).toBe(5)
  client.ask('SENTINEL SET mymaster Primary-Reboot-Down-After-Period 0')
  expect(group.config.rebootDownAfterMs).toBe(0)
})

test('how a dead master is recognised is set in one command, told, saved and shown', () => {
  const { sentinel, client } = open()
  const words = 'Detection PING refused-after 400 gray-after 5000 quorum 3'
  expect(client.ask(`SENTINEL SET mymaster ${words}`)).toBe('+OK\r\n')
  const changed = { detection: 'ping', refusedAfterMs: 400, grayAfterMs: 5000, quorum: 3 }
  expect(sentinel.group.config).toMatchObject(changed)
  const told = sentinel.effects.flatMap((one) => (one.kind === 'log' ? [one.text] : []))
  expect(told).toContain('+set master mymaster 10.0.0.1 6379 Detection PING')
  expect(told).toContain('+set master mymaster 10.0.0.1 6379 gray-after 5000')
  const saved = sentinel.effects.filter((effect) => effect.kind === 'save').at(-1)
  expect(saved?.state().groups[0]?.current).toMatchObject(changed)
  expect(client.ask('SENTINEL MASTER mymaster')).toMatch(
    /\$9\r\ndetection\r\n\$4\r\nping\r\n\$13\r\nrefused-after\r\n\$3\r\n400\r\n\$10\r\ngray-after\r\n\$4\r\n5000\r\n\$12\r\nforget-after\r\n\$1\r\n0\r\n$/,
  )
})

test('what stands before a wrong detection stays in force', () => {
  const { sentinel, client } = open()
  client.ask('SENTINEL SET mymaster refused-after 400 detection guess gray-after 1')
  expect(sentinel.group.config).toEqual({ ...MYMASTER, refusedAfterMs: 400 })
})
