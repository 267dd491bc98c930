import { describe, expect, test } from 'vitest'
import { createRng } from '../../../src/base/rng.ts'
import type { Manner, OperationKind, Pace } from '../../../src/history/topology.ts'
import { encodeReply } from '../../../src/resp/encode.ts'
import { bulk, bulks, type Reply } from '../../../src/resp/reply.ts'
import { ClientProgram } from '../../../src/sim/clients/client-program.ts'
import type { DataWork } from '../../../src/sim/clients/client-request.ts'
import { WriteLog } from '../../../src/sim/clients/write-log.ts'
import { ScriptedShell } from '../scripted-shell.ts'

const OK = '+OK\r\n'
const A_MASTER = wire({ kind: 'array', items: [bulk('master'), { kind: 'integer', value: 0 }] })
const EVERY_10_MS: Pace = { kind: 'rate', perSecond: 100, pipeline: 1 }
/** True time is nothing a client knows. */
const TRUE_MS = 5_000

function wire(reply: Reply): string {
  return encodeReply(reply, 2)
}

function addressReply(host: string): string {
  return wire(bulks([host, '6379']))
}

/** A client that has been told of the master `m1`, and has not connected to it yet. */
function createClient(
  operation: OperationKind = 'keys',
  pace: Pace = EVERY_10_MS,
  manner: Manner = 'prompt',
  work?: DataWork,
  wait?: number,
) {
  const shell = new ScriptedShell()
  const log = new WriteLog({
    nowMs: () => TRUE_MS,
    nameOf: ({ host }) => host,
    isWithMajority: () => true,
  })
  const sentinels = ['s1', 's2'].map((host) => ({ host, port: 26_379 }))
  const start = { shell, group: 'g', sentinels, operation, pace, manner, log, work, wait }
  const program = new ClientProgram(start)
  const pass = (ms: number): void => {
    const endMs = shell.monoMs + ms
    for (let dueMs = program.nextWakeUpMs(); dueMs !== undefined && dueMs <= endMs; ) {
      shell.monoMs = Math.max(shell.monoMs, dueMs)
      program.wake()
      dueMs = program.nextWakeUpMs()
    }
    shell.monoMs = endMs
  }
  const told = (sentinel: string, master: string): void => {
    shell.line(`${sentinel}:26379`).handler.connected()
    shell.line(`${sentinel}:26379`).reply(addressReply(master))
  }
  const outcomes = (): string[] => log.writes.map(({ outcome }) => outcome.kind)
  return { shell, log, program, pass, told, outcomes, line: (host: string) => shell.line(host) }
}

/** One that works with `m1`. */
function createWorking(
  operation: OperationKind = 'keys',
  pace: Pace = EVERY_10_MS,
  manner: Manner = 'prompt',
  work?: DataWork,
  wait?: number,
) {
  const client = createClient(operation, pace, manner, work, wait)
  client.told('s1', 'm1')
  const master = client.shell.line('m1:6379')
  master.handler.connected()
  master.take()
  master.reply(A_MASTER)
  return { ...client, master }
}

test('it asks a Sentinel, checks the role, and only then writes', () => {
  const { shell, told, pass } = createClient()
  told('s1', 'm1')
  expect(shell.line('s1:26379').take()).toEqual([
    'SENTINEL get-master-addr-by-name g',
    'SUBSCRIBE +switch-master',
  ])
  const master = shell.line('m1:6379')
  master.handler.connected()
  pass(50)
  expect(master.take()).toEqual(['ROLE'])
  master.reply(A_MASTER)
  pass(20)
  expect(master.take()).toEqual([
    'SET app:1:5 app:1:5',
    'SET app:1:6 app:1:6',
    'SET app:1:7 app:1:7',
  ])
})

test('in a pipeline as many leave together as stand in it, at the same rate', () => {
  const { master, pass } = createWorking('keys', { ...EVERY_10_MS, pipeline: 4 })
  pass(35)
  expect(master.take()).toHaveLength(4)
  pass(4)
  expect(master.take()).toHaveLength(0)
  pass(1)
  expect(master.take()).toHaveLength(4)
})

test('a steady rate does not wait for answers', () => {
  const { master, pass } = createWorking()
  pass(95)
  expect(master.take()).toHaveLength(10)
})

test('one that thinks waits for the answer, and then so long', () => {
  const { master, pass } = createWorking('keys', { kind: 'think', ms: 30 })
  pass(30)
  expect(master.take()).toEqual(['SET app:1:0 app:1:0'])
  pass(500)
  master.reply(OK)
  pass(29)
  expect(master.take()).toEqual([])
  pass(1)
  expect(master.take()).toEqual(['SET app:1:1 app:1:1'])
})

test('one that does not think at all lets time pass between its requests', () => {
  const { master, pass } = createWorking('keys', { kind: 'think', ms: 0 })
  pass(0)
  expect(master.take()).toEqual([])
  pass(1)
  expect(master.take()).toHaveLength(1)
})

test('with WAIT a write is acknowledged when a replica has it, and not when none has', () => {
  const { master, outcomes, pass } = createWorking('keys', EVERY_10_MS, 'prompt', undefined, 1)
  pass(20)
  expect(master.take().slice(0, 2)).toEqual(['SET app:1:0 app:1:0', 'WAIT 1 500'])
  master.reply(OK)
  expect(outcomes()[0]).toBe('pending')
  for (const reply of [':1\r\n', OK, ':0\r\n', '-READONLY no\r\n', '-ERR a replica\r\n']) {
    master.reply(reply)
  }
  expect(outcomes().slice(0, 3)).toEqual(['acknowledged', 'unknown', 'refused'])
})

test('a set gets members that never come again', () => {
  const { master, log, pass } = createWorking('set')
  pass(10)
  expect(master.take()).toEqual(['SADD app:1 0', 'SADD app:1 1'])
  master.reply(':1\r\n')
  expect(log.writes[0]).toMatchObject({
    operation: { kind: 'member', set: 'app:1', member: '0' },
    outcome: { kind: 'acknowledged', atMs: TRUE_MS },
  })
})

test('an acknowledged increment keeps the value it made', () => {
  const { master, log, pass } = createWorking('counter')
  pass(10)
  expect(master.take()).toEqual(['INCR app:1', 'INCR app:1'])
  master.reply(':7\r\n')
  expect(log.writes[0]?.outcome).toMatchObject({ kind: 'acknowledged', value: 7 })
})

test('a register is read first, and then written and read in turn on the same connection', () => {
  const { master, log, pass } = createWorking('register')
  pass(40)
  expect(master.take()).toEqual(['GET app:1', 'SET app:1 2', 'GET app:1', 'SET app:1 3'])
  master.reply(wire(bulk('1')), OK, '$-1\r\n', OK)
  expect(log.reads.map(({ node, value }) => [node, value])).toEqual([
    ['m1', 1],
    ['m1', undefined],
  ])
  expect(log.writes.map(({ outcome }) => outcome.kind)).toEqual(['acknowledged', 'acknowledged'])
})

test('a read that is refused is no read', () => {
  const { master, log, pass } = createWorking('register')
  pass(30)
  master.reply('-LOADING Redis is loading the dataset in memory\r\n', OK)
  expect(log.reads).toEqual([])
  expect(log.writes[0]?.outcome.kind).toBe('acknowledged')
})

test.each(['LOADING', 'MISCONF', 'NOREPLICAS', 'MASTERDOWN'])(
  'a master that answers %s is written down and kept',
  (code) => {
    const { master, pass, outcomes } = createWorking()
    pass(10)
    master.reply(`-${code} for some reason\r\n`)
    pass(30)
    master.reply(OK)
    expect([master.isClosed, outcomes().slice(0, 2)]).toEqual([false, ['refused', 'acknowledged']])
  },
)

test('READONLY makes it look for another master, and what was under way is never known', () => {
  const { shell, master, pass, outcomes } = createWorking()
  pass(10)
  master.reply("-READONLY You can't write against a read only replica.\r\n")
  expect([master.isClosed, outcomes()]).toEqual([true, ['refused', 'unknown']])
  const asked = shell.lines.length
  pass(20)
  expect(shell.lines.slice(asked).map(({ address }) => address)).toEqual(['s1:26379'])
})

test('a silent master is given up after a second', () => {
  const { master, pass, outcomes } = createWorking()
  pass(999)
  expect(master.isClosed).toBe(false)
  pass(1)
  expect([master.isClosed, outcomes()[0]]).toEqual([true, 'unknown'])
})

test('when its connection ends it connects again to whom the Sentinel names', () => {
  const { shell, master, told, pass } = createWorking()
  master.handler.closed('reset by peer')
  pass(20)
  told('s1', 'm1')
  const again = shell.line('m1:6379')
  expect(again).not.toBe(master)
  again.handler.connected()
  expect(again.take()).toEqual(['ROLE'])
})

test('it goes over to another master as soon as the Sentinel tells of it', () => {
  const { shell, master } = createWorking()
  shell
    .line('s1:26379')
    .reply(
      wire(bulks(['subscribe', '+switch-master'])),
      wire(bulks(['message', '+switch-master', 'other m1 6379 m9 6379'])),
      wire(bulks(['message', '+switch-master', 'g m1 6379 m2 6379'])),
    )
  expect(master.isClosed).toBe(true)
  expect(shell.lines.at(-1)?.address).toBe('m2:6379')
})

test('it asks the next Sentinel when one does not answer', () => {
  const { shell, pass } = createClient()
  pass(500)
  expect(shell.lines.map(({ address }) => address)).toEqual(['s1:26379', 's2:26379'])
})

test('a node that is no master is not written to', () => {
  const { shell, told, log, pass } = createClient()
  told('s1', 'm1')
  const node = shell.line('m1:6379')
  node.handler.connected()
  node.reply(wire(bulks(['slave', 'm2', '6379', 'connected'])))
  pass(10)
  expect([node.isClosed, log.writes]).toEqual([true, []])
})

test('it ends when it is asked to', () => {
  const { shell, program } = createWorking()
  program.stopRequested()
  expect(shell.hasExited).toBe(true)
})

test('one with the manners of ioredis waits for any answer, and goes on writing', () => {
  const { master, pass, outcomes } = createWorking('keys', EVERY_10_MS, 'ioredis')
  pass(5_000)
  expect(master.isClosed).toBe(false)
  expect(master.take().length).toBeGreaterThan(400)
  expect(new Set(outcomes())).toEqual(new Set(['pending']))
})

test('it stays with its master when another one is named', () => {
  const { shell, master, pass } = createWorking('keys', EVERY_10_MS, 'ioredis')
  const message = ['message', '+switch-master', 'g m1 6379 m2 6379']
  shell.line('s1:26379').reply(wire(bulks(['subscribe', '+switch-master', '1'])))
  shell.line('s1:26379').reply(wire(bulks(message)))
  pass(100)
  expect(master.isClosed).toBe(false)
})

test('what was not answered goes out first on the next connection, and then what was due meanwhile', () => {
  const { shell, master, pass, told, outcomes } = createWorking('keys', EVERY_10_MS, 'ioredis')
  pass(20)
  const sent = master.take()
  master.handler.closed('closed by the other side')
  expect(outcomes()).toEqual(sent.map(() => 'unknown'))
  pass(30)
  told('s1', 'm2')
  const next = shell.line('m2:6379')
  next.handler.connected()
  next.take()
  next.reply(A_MASTER)
  pass(0)
  const again = next.take()
  expect(again.slice(0, sent.length)).toEqual(sent)
  const numbers = again.map((line) => Number(line.split(':').at(-1)))
  expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index))
  expect(numbers.length).toBeGreaterThan(sent.length + 2)
})

describe('one that works on data', () => {
  const WORK = { rng: createRng('data'), databases: [3, 4] as const }

  /** Connected, with everything read that its two databases hold. */
  function createDataClient() {
    const client = createWorking('data', EVERY_10_MS, 'prompt', WORK)
    const first = client.master.take()
    client.master.reply(OK.repeat(first.length))
    return { ...client, first }
  }

  test('first looks at both of its databases, in one transaction', () => {
    const { first, log } = createDataClient()
    expect([first[0], first[1], first[2], first.at(-1)]).toEqual([
      ...['SELECT 3', 'MULTI', 'SELECT 3', 'EXEC'],
    ])
    expect(first).toContain('SELECT 4')
    expect(log.questions.map(({ request }) => request.commands.length)).toEqual([
      1,
      first.length - 3,
    ])
    expect(log.questions.map(({ answer }) => answer?.told)).toEqual(['OK', 'OK'])
    expect(log.writes).toEqual([])
  })

  test('the last reply to a transaction is its answer; an error of it refuses the write', () => {
    const { master, log, pass } = createDataClient()
    let sent: string[] = []
    while (sent[0] !== 'MULTI') {
      pass(10)
      sent = master.take()
      if (sent[0] !== 'MULTI') master.reply(OK.repeat(sent.length))
    }
    const asked = log.questions.at(-1)
    master.reply(OK + '-NOREPLICAS too few\r\n'.repeat(sent.length - 2))
    expect(asked?.answer).toBeUndefined()
    master.reply('-EXECABORT discarded\r\n')
    expect(asked?.answer?.told).toEqual({ error: 'EXECABORT discarded' })
    expect(asked?.write?.outcome.kind ?? 'refused').toBe('refused')
    expect(master.isClosed).toBe(false)
  })

  test('a replica that refuses one of its commands is left', () => {
    const { master, pass } = createDataClient()
    pass(10)
    const sent = master.take()
    master.reply('-READONLY a replica\r\n'.repeat(sent.length))
    expect(master.isClosed).toBe(true)
  })
})
