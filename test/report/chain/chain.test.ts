import { describe, expect, test } from 'vitest'
import { explain, explainRecorded } from '../../../src/report/chain/chain.ts'
import type { Chapter } from '../../../src/report/chain/chain-words.ts'
import { renderChain } from '../../../src/report/terminal.ts'
import { altered, parse, SOUND } from '../../scenario/support.ts'
import { at, event, historyOf, play, write } from '../support.ts'

async function chapters(text?: string): Promise<readonly Chapter[]> {
  const { file, result, history } = await play(text)
  return explain(file, result, history)
}

async function story(text?: string): Promise<string> {
  const told = await chapters(text)
  return told.flatMap(({ title, links }) => [title, ...links.map((one) => one.text)]).join('\n')
}

const STEPS = /timeline:\n.*\n/
const steps = (...lines: string[]): string =>
  `timeline:\n${lines.map((one) => `  - ${one}\n`).join('')}`

describe('a failover in words', () => {
  test('goes from the fault to the old master in the order of time', async () => {
    const told = await chapters()
    expect(told).toHaveLength(1)
    const times = told[0]?.links.flatMap(({ atMs }) => atMs ?? []) ?? []
    expect(times).toEqual([...times].sort((a, b) => a - b))
    expect(told[0]?.links[0]).toMatchObject({ atMs: 5_000, process: 'n1' })
  })

  test('names fault, first witness, quorum, votes, choice, switches and first write', async () => {
    const text = await story()
    expect(text).toMatch(/^mymaster: failover from n1 to n[23]$/m)
    expect(text).toMatch(/What broke: kill n1\. The master of mymaster, n1, went down\./)
    expect(text).toMatch(/s\d is the first to hold n1 down, 1\.0\d+ s after the fault/)
    expect(text).toMatch(/2 of 3 Sentinels agree, and the quorum is 2: \+odown/)
    expect(text).toMatch(/is elected after \d+ ms, with the votes of (s\d, )?s\d and s\d/)
    expect(text).toMatch(/selects n[23] before n[23]: the priorities are equal/)
    expect(text).toMatch(/The Sentinels announce n[23]: s\d at .*, s\d at .* and s\d at/)
    expect(text).toMatch(/acknowledges its first write as master, to app, 1\.\d+ s after the fault/)
    expect(text).toMatch(/n1 did not come back as a replica before the end/)
  })

  test('needs as many votes as the quorum says, where that is more than half', async () => {
    expect(await story(altered('quorum: 2', 'quorum: 3'))).toMatch(
      /is elected after .* \(3 of 3 are needed\)/,
    )
  })

  test('a better priority is the reason where there is one', async () => {
    const text = await story(
      altered(
        'n2: { host: b, replica-of: n1 }',
        'n2: { host: b, replica-of: n1, settings: { replica-priority: 10 } }',
      ),
    )
    expect(text).toContain('selects n2 before n3, for it has the lower replica-priority, 10')
  })

  test('a replica that refused is the reason for the next choice', async () => {
    const right = 'command: { to: n2, argv: [ACL, SETUSER, default, -slaveof, -replicaof] }'
    const text = await story(
      altered(
        'n2: { host: b, replica-of: n1 }',
        'n2: { host: b, replica-of: n1, settings: { replica-priority: 10 } }',
      ).replace('timeline:', `timeline:\n  - { at: 2s, ${right} }`),
    )
    expect(text).toContain('selects n2 before n3, for it has the lower replica-priority, 10')
    expect(text).toContain('selects n3 instead, for n2 refused to be the master: +selected-slave')
    expect(text).not.toContain('out of its reach')
  })

  test('an operator who asked for it is no fault', async () => {
    const order = '{ at: 5s, as: kill, command: { to: s2, argv: [SENTINEL, FAILOVER, mymaster] } }'
    const text = await story(altered(STEPS, steps(order)))
    expect(text).toContain('An operator asked for it: command to s2: SENTINEL FAILOVER mymaster.')
    expect(text).toContain('without asking for votes')
    expect(text).toMatch(/first write as master, to app, \d+ ms after the command/)
  })

  test('a handover that an operator ordered is elected with votes', async () => {
    const order = '{ at: 5s, as: kill, failover: { at: s2, coordinated: true } }'
    const text = await story(altered(STEPS, steps(order)))
    expect(text).toMatch(/s2 stands for election in epoch 1 for the handover that an operator/)
    expect(text).toMatch(/s2 is elected after \d+ ms, with the votes of s\d/)
    expect(text).not.toContain('without asking for votes')
  })

  test('an order for a master that is down is no election', async () => {
    const text = await story(
      altered(
        STEPS,
        steps(
          '{ at: 4s, pause-failover: { at: s1, for: 10m } }',
          '{ at: 5s, as: kill, kill: n1 }',
          '{ at: 8s, failover: { at: s2 } }',
        ),
      ),
    )
    expect(text).toMatch(
      /s2 begins the failover in epoch 1, as an operator ordered, without asking/,
    )
    expect(text).not.toContain('is elected after')
  })

  test('each failover has a chapter of its own', async () => {
    const text = altered(
      STEPS,
      steps(
        '{ at: 4s, as: kill, kill: n1 }',
        '{ at: 7s, restart: n1 }',
        '{ at: 10s, kill: [n2, n3] }',
      ),
    ).replace('duration: 9s', 'duration: 15s')
    const titles = (await chapters(text)).map(({ title }) => title)
    expect(titles).toHaveLength(2)
    expect(titles[1]).toMatch(/failover from n[23] to n1/)
  })
})

test('a master that hands over is not said to stay away', async () => {
  const order = '{ at: 5s, as: kill, failover: { at: s1, coordinated: true } }'
  const far = altered(STEPS, steps(order)).replace('topology:', 'topology:\n  latency: 40ms')
  const text = await story(far)
  expect(text).toMatch(/n1 follows n[23] already\./)
  expect(text).not.toContain('did not come back')
})

describe('no failover in words', () => {
  test('too few who hold the master down', async () => {
    const dead = steps('{ at: 3s, kill: [s2, s3] }', '{ at: 5s, as: kill, kill: n1 }')
    const text = await story(altered(STEPS, dead))
    expect(text).toContain('n1 was suspected, and no replica replaced it')
    expect(text).toContain('Only s1 holds n1 down, which is not the quorum of 2')
    expect(text).toContain('s2 was down and s3 was down')
  })

  test('a leader that dies in the middle of its failover', () => {
    const history = historyOf([
      event(1_000, 's1', '+sdown master mymaster n1 6379'),
      event(1_002, 's1', '+try-failover master mymaster n1 6379'),
      event(1_010, 's1', '+elected-leader master mymaster n1 6379'),
      at(1_011, 's1', { kind: 'status', status: 'down' }),
    ])
    const links = explain(parse(SOUND), fakeResult(), history)[0]?.links
    expect(links?.at(-1)).toMatchObject({ atMs: 1_011, text: 's1 goes down in the middle of it.' })
  })

  test('an agreement that came late says who was missing', () => {
    const history = historyOf([
      at(10, 's1', { kind: 'status', status: 'running' }),
      at(11, 's2', { kind: 'status', status: 'paused' }),
      event(1_000, 's1', '+sdown master mymaster n1 6379'),
      event(9_000, 's1', '+odown master mymaster n1 6379 #quorum 2/2'),
    ])
    const texts = explain(parse(SOUND), fakeResult(), history)[0]?.links.map(({ text }) => text)
    expect(texts?.find((text) => text.includes('+odown'))).toContain(
      'It took 8 s to agree: when it began, s2 was paused and s3 was not there yet.',
    )
  })

  test('what the Sentinels themselves say about it, once for all', async () => {
    const dead = steps('{ at: 3s, kill: [n2, n3] }', '{ at: 5s, as: kill, kill: n1 }')
    const text = await story(altered(STEPS, dead))
    expect(text.match(/begin a failover: none of the 2 replicas/g)).toHaveLength(1)
  })

  test('a master that came back in time stays', () => {
    const history = historyOf([
      event(1_000, 's1', '+sdown master mymaster n1 6379'),
      event(1_400, 's1', '-sdown master mymaster n1 6379'),
    ])
    const [chapter] = explain(parse(SOUND), fakeResult(), history)
    expect(chapter?.title).toBe('mymaster: n1 was suspected, and came back')
    expect(chapter?.links.at(-1)?.text).toContain('After 400 ms no Sentinel suspects n1 any more')
  })

  test('an election without a majority says how many votes there were', () => {
    const late = { kind: 'vote', sentinelId: 'a'.repeat(40), group: 'mymaster', epoch: 1 } as const
    const history = historyOf([
      event(1_000, 's1', '+sdown master mymaster n1 6379'),
      event(1_001, 's1', '+odown master mymaster n1 6379 #quorum 2/2'),
      event(1_002, 's1', '+new-epoch 1'),
      event(1_002, 's1', '+try-failover master mymaster n1 6379'),
      event(9_000, 's1', '-failover-abort-not-elected master mymaster n1 6379'),
      // A vote that comes when all is over.
      at(9_500, 's2', { ...late, leader: 'b'.repeat(40) }),
      at(9_600, 's1', { ...late, sentinelId: 'b'.repeat(40), leader: 'b'.repeat(40), epoch: 2 }),
    ])
    const texts = explain(parse(SOUND), fakeResult(), history)[0]?.links.map(({ text }) => text)
    expect(texts?.at(-1)).toContain('s1 gives up, not elected: it had no vote, and 2 are needed')
  })

  test('a calm run says that it was calm', async () => {
    expect(await story(altered(STEPS, steps('{ at: 5s, as: kill, kill: n2 }')))).toContain(
      'No Sentinel suspected the master n1 of mymaster',
    )
  })
})

test('lost writes are told with their number, their time and their cause', () => {
  const lost = [write(2_000, 'n1', 'acknowledged'), write(2_500, 'n1', 'acknowledged')]
  const history = historyOf(
    [
      ...[at(0, undefined, { kind: 'fault', text: 'kill n1' })],
      event(3_000, 's1', '+sdown master mymaster n1 6379'),
      event(3_001, 's1', '+try-failover master mymaster n1 6379'),
      event(3_100, 's1', '+promoted-slave slave n3 n3 6379 @ mymaster n1 6379'),
    ],
    { writes: lost, missing: new Map([['mymaster', new Set(lost)]]) },
  )
  const texts = explain(parse(SOUND), fakeResult(), history).flatMap(({ links }) => links)
  expect(texts.find(({ atMs }) => atMs === 2_000)?.text).toMatch(
    /^2 acknowledged writes of n1 from here on are lost, the last one at 2\.500 s: not yet replicated/,
  )
})

test('the chain fits the terminal', async () => {
  for (const line of renderChain(await chapters(), { width: 60 })) {
    expect(line.length).toBeLessThanOrEqual(60)
  }
})

function fakeResult(): Parameters<typeof explain>[1] {
  return {
    ...{
      file: 'test.yml',
      name: 'A test',
      story: '',
      seed: '1',
      engine: 'sim',
      programs: 'Vedette',
    },
    ...{ verdict: 'passed', expectations: [], violations: [], facts: { groups: [] } },
    ...{ timeline: [], endMs: 20_000 },
  }
}

test('candidates of one epoch are told as a split vote, with the votes of each', () => {
  const of = 'master mymaster n1 6379'
  const [first, second] = ['a'.repeat(40), 'b'.repeat(40)]
  const isCalled = (name: string, sentinelId: string) =>
    at(0, name, {
      ...{ kind: 'hello', sentinelId, group: 'mymaster', configEpoch: 0 },
      master: { host: 'n1', port: 6379 },
    })
  const [chapter] = explainRecorded(
    parse(SOUND),
    historyOf([
      ...[isCalled('s1', first), isCalled('s2', second)],
      event(1_000, 's1', `+sdown ${of}`),
      ...[event(1_010, 's1', '+new-epoch 1'), event(1_010, 's1', `+try-failover ${of}`)],
      event(1_010, 's1', `+vote-for-leader ${first} 1`),
      ...[event(1_020, 's2', '+new-epoch 1'), event(1_020, 's2', `+try-failover ${of}`)],
      event(1_020, 's2', `+vote-for-leader ${second} 1`),
      event(2_000, 's1', `-failover-abort-not-elected ${of}`),
    ]),
  )
  expect(chapter?.links.map(({ text }) => text)).toContain(
    's1 gives up, not elected: it had the vote of s1, and 2 are needed: -failover-abort-not-elected. The votes of epoch 1 were split: there also stood s2, with the vote of s2.',
  )
})

test('a failover that nobody suspected the master for is no suspicion in the title', () => {
  const of = 'master mymaster n1 6379'
  const [chapter] = explainRecorded(
    parse(SOUND),
    historyOf([
      event(1_000, 's1', `+try-failover ${of}`),
      event(7_000, 's1', `-failover-abort-slave-timeout ${of}`),
    ]),
  )
  expect(chapter?.title).toBe('mymaster: a failover of n1 began, and no replica replaced it')
})
