import { expect, test } from 'vitest'
import { MYID, PEERS, START, TestSentinel } from '../../support/sentinel-builder.ts'

const NOT_AN_INTEGER = '-ERR value is not an integer or out of range\r\n'
const NOT_DOWN = '*3\r\n:0\r\n$1\r\n*\r\n:0\r\n'
const DOWN = '*3\r\n:1\r\n$1\r\n*\r\n:0\r\n'
const ASK = 'SENTINEL is-master-down-by-addr'

const ANSWERS: readonly (readonly [line: string, answer: string])[] = [
  [`${ASK} 10.0.0.1 6379 1 *`, DOWN],
  ['SENTINEL IS-PRIMARY-DOWN-BY-ADDR 10.0.0.1 6379 1 *', DOWN],
  [`${ASK} 10.0.0.2 6379 1 *`, NOT_DOWN],
  [`${ASK} nowhere 6379 1 *`, NOT_DOWN],
  [`${ASK} 10.0.0.1 99999 1 *`, NOT_DOWN],
  [`${ASK} 10.0.0.1 -1 1 *`, NOT_DOWN],
  [`${ASK} 10.0.0.1 +6379 1 *`, NOT_AN_INTEGER],
  [`${ASK} 10.0.0.1 x 1 *`, NOT_AN_INTEGER],
  [`${ASK} 10.0.0.1 6379 x *`, NOT_AN_INTEGER],
  [`${ASK} 10.0.0.1 6379 -1 me`, NOT_AN_INTEGER],
  [`${ASK} 10.0.0.1 6379 9007199254740993 me`, DOWN],
  [`${ASK} 10.0.0.1 6379 18446744073709551615 me`, DOWN],
  [`${ASK} 10.0.0.1 6379 184467440737095516150 me`, NOT_AN_INTEGER],
  [
    `${ASK} 10.0.0.1 6379 1`,
    "-ERR wrong number of arguments for 'sentinel|is-master-down-by-addr' command\r\n",
  ],
]

for (const [line, answer] of ANSWERS) {
  test(`${line} is answered without a vote, and no epoch changes`, () => {
    const sentinel = new TestSentinel({ peers: PEERS })
    sentinel.group.master.sdownSinceMs = START.monoMs
    expect(sentinel.connect().ask(line)).toBe(answer)
    expect(sentinel.state.currentEpoch).toBe(0)
  })
}

test('a run id in the question gets our vote, saved before it is told', () => {
  const sentinel = new TestSentinel({ peers: PEERS })
  const candidate = PEERS[0]?.runId ?? ''
  const answer = sentinel.connect().ask(`${ASK} 10.0.0.1 6379 4 ${candidate}`)
  expect(answer).toBe(`*3\r\n:0\r\n$40\r\n${candidate}\r\n:4\r\n`)
  const saved = sentinel.effects.filter((effect) => effect.kind === 'save').at(-1)
  expect(saved?.state().groups[0]).toMatchObject({ leader: candidate, leaderEpoch: 4 })
})

test('a question that changes nothing is answered without a save', () => {
  const sentinel = new TestSentinel({ peers: PEERS })
  const question = `${ASK} 10.0.0.1 6379 4 ${PEERS[0]?.runId}`
  const client = sentinel.connect()
  const answer = client.ask(question)
  sentinel.effects.length = 0
  expect(client.ask(question)).toBe(answer)
  expect(sentinel.effects.filter(({ kind }) => kind === 'save')).toEqual([])
})

test('clones that stand under one id are not both elected by one vote', () => {
  const sentinel = new TestSentinel({ peers: PEERS })
  const candidate = PEERS[0]?.runId ?? ''
  const question = `${ASK} 10.0.0.1 6379 4 ${candidate}`
  const vote = `*3\r\n:0\r\n$40\r\n${candidate}\r\n:4\r\n`
  expect(sentinel.connect('10.0.0.11').ask(question)).toBe(vote)
  const clone = sentinel.connect('10.0.0.66')
  expect(clone.ask(question)).toBe(NOT_DOWN)
  // It would keep the answer, and count it in epoch 4.
  expect(clone.ask(question.replace(' 4 ', ' 3 '))).toBe(NOT_DOWN)
  // The first may have lost its connection, and another candidate must know whom it lost to.
  expect(sentinel.connect('10.0.0.11').ask(question)).toBe(vote)
  expect(sentinel.connect('10.0.0.66').ask(`${ASK} 10.0.0.1 6379 4 ${PEERS[1]?.runId}`)).toBe(vote)
  expect(clone.ask(question.replace(' 4 ', ' 5 '))).toBe(vote.replace(':4', ':5'))
})

test('a clone of this Sentinel gets no vote of it', () => {
  const sentinel = new TestSentinel({ peers: PEERS })
  expect(sentinel.connect().ask(`${ASK} 10.0.0.1 6379 4 ${MYID}`)).toBe(NOT_DOWN)
  expect(sentinel.group.leaderEpoch).toBe(0)
})

test('a vote that cannot be saved is not told', () => {
  const sentinel = new TestSentinel({ peers: PEERS })
  sentinel.savesFail = true
  const answer = sentinel.connect().ask(`${ASK} 10.0.0.1 6379 4 ${PEERS[0]?.runId}`)
  expect(answer).toMatch(/^-ERR Failed to save/)
})

test.each(['"a b"', `${'a'.repeat(41)}`, '"a\\nb"', '""'])(
  'nothing like %s is ever voted for',
  (id) => {
    const sentinel = new TestSentinel()
    expect(sentinel.connect().ask(`${ASK} 10.0.0.1 6379 4 ${id}`)).toBe(NOT_DOWN)
    expect(sentinel.group.leader).toBe('')
  },
)

test('a master is found by any spelling of its IPv6 address', () => {
  const sentinel = new TestSentinel()
  const client = sentinel.connect()
  client.ask('SENTINEL MONITOR six ::1 6379 1')
  const master = sentinel.state.groups.get('six')?.master
  if (master !== undefined) master.sdownSinceMs = START.monoMs
  expect(client.ask(`${ASK} 0::0001 6379 0 *`)).toBe(DOWN)
})
