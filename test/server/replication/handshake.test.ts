import { expect, test } from 'vitest'
import {
  Handshake,
  type HandshakeTerms,
} from '../../../src/server/replication/following/handshake.ts'

const PLAIN: HandshakeTerms = {
  user: '',
  password: '',
  listeningPort: 1234,
  announcedHost: '',
  position: () => undefined,
  takeOver: false,
  asksLineage: false,
  acceptsUnplaced: false,
  saidTerm: undefined,
  meetMaster: () => undefined,
}

const PORT = '*3\r\n$8\r\nREPLCONF\r\n$14\r\nlistening-port\r\n$4\r\n1234\r\n'
const CAPA = '*5\r\n$8\r\nREPLCONF\r\n$4\r\ncapa\r\n$3\r\neof\r\n$4\r\ncapa\r\n$6\r\npsync2\r\n'
const GREETED = ['+PONG', '+OK', '+OK', '+OK']
const VERSION = '*3\r\n$8\r\nREPLCONF\r\n$7\r\nversion\r\n$5\r\n9.0.0\r\n'
const ID = 'a'.repeat(40)

/** Plays the given lines and keeps what was said in between. */
function play(terms: Partial<HandshakeTerms>, lines: readonly string[]) {
  const handshake = new Handshake({ ...PLAIN, ...terms })
  return lines.map((line) => {
    const step = handshake.line(line)
    return step.kind === 'send' ? step.bytes : step
  })
}

const WAIT = { kind: 'wait' }

test('PING goes alone, then the introduction in one burst, then PSYNC', () => {
  expect(new Handshake(PLAIN).opening()).toBe('*1\r\n$4\r\nPING\r\n')
  expect(play({}, ['+PONG', '+OK', '+OK', '+OK'])).toEqual([
    PORT + CAPA + VERSION,
    WAIT,
    WAIT,
    '*3\r\n$5\r\nPSYNC\r\n$1\r\n?\r\n$2\r\n-1\r\n',
  ])
})

test('a node of a strict group says everything at once, and what the master refuses still counts', () => {
  const term = '*3\r\n$8\r\nREPLCONF\r\n$9\r\nsync-term\r\n$3\r\n7:x\r\n'
  const meetMaster = (text: string) => (text.startsWith('+TERM') ? undefined : `it said ${text}`)
  const strict = { ...PLAIN, saidTerm: '7:x', meetMaster }
  const handshake = new Handshake(strict)
  expect(handshake.opening()).toBe(`*1\r\n$4\r\nPING\r\n${PORT}${CAPA}${VERSION}${term}`)
  const steps = ['+PONG', '+OK', '+OK', '+OK', '+TERM 7 x'].map((line) => handshake.line(line))
  expect(steps.map(({ kind }) => kind)).toEqual(['wait', 'wait', 'wait', 'wait', 'send'])
  for (const lines of [['-LOADING'], ['+PONG', '+OK', '+OK', '+OK', '-NOMASTERLINK']]) {
    const other = new Handshake(strict)
    other.opening()
    expect(lines.map((line) => other.line(line)).at(-1)?.kind).toBe('failed')
  }
})

test("the burst with credentials and an announced address is the one Valkey's replica sends", () => {
  const terms = { user: 'u', password: 'pw', announcedHost: '9.9.9.9' }
  expect(play(terms, ['-NOAUTH Authentication required.'])).toEqual([
    '*3\r\n$4\r\nAUTH\r\n$1\r\nu\r\n$2\r\npw\r\n' +
      PORT +
      '*3\r\n$8\r\nREPLCONF\r\n$10\r\nip-address\r\n$7\r\n9.9.9.9\r\n' +
      CAPA +
      VERSION,
  ])
})

test('a known position is offered as the next byte wanted', () => {
  const [, , , psync] = play({ position: () => ({ id: ID, offset: 41 }) }, GREETED)
  expect(psync).toBe(`*3\r\n$5\r\nPSYNC\r\n$40\r\n${ID}\r\n$2\r\n42\r\n`)
})

test('a node that hands its role over says so with its position', () => {
  const terms = { position: () => ({ id: ID, offset: 41 }), takeOver: true }
  const [, , , psync] = play(terms, GREETED)
  expect(psync).toBe(`*4\r\n$5\r\nPSYNC\r\n$40\r\n${ID}\r\n$2\r\n42\r\n$8\r\nFAILOVER\r\n`)
})

test('refused credentials end the attempt, a refused option does not', () => {
  expect(play({ password: 'pw' }, ['+PONG', '-WRONGPASS no'])[1]).toMatchObject({ kind: 'failed' })
  const unknown = '-ERR Unrecognized REPLCONF option: version'
  expect(play({}, ['+PONG', '+OK', '+OK', unknown])[3]).toContain('PSYNC')
})

test('a master that is loading does not pass for one that answers', () => {
  expect(play({}, ['-LOADING dataset in memory'])).toMatchObject([{ kind: 'failed' }])
})

const ANSWERS: { line: string; known: boolean; step: object }[] = [
  { line: '', known: false, step: WAIT },
  {
    line: `+FULLRESYNC ${ID} 7`,
    known: true,
    step: { kind: 'full', position: { id: ID, offset: 7 } },
  },
  { line: '+CONTINUE', known: true, step: { kind: 'partial', id: undefined } },
  { line: `+CONTINUE ${ID}`, known: true, step: { kind: 'partial', id: ID } },
  { line: '+CONTINUE', known: false, step: { kind: 'failed' } },
  { line: '+FULLRESYNC short 7', known: false, step: { kind: 'failed' } },
  { line: `+FULLRESYNC ${ID} -7`, known: false, step: { kind: 'failed' } },
  { line: '-NOMASTERLINK not connected', known: true, step: { kind: 'failed' } },
  { line: '-ERR whatever', known: true, step: { kind: 'failed' } },
]

for (const { line, known, step } of ANSWERS) {
  const situation = known ? 'a replica with a position' : 'a replica without a position'
  test(`${situation} that is answered "${line}" takes it as ${JSON.stringify(step)}`, () => {
    const position = () => (known ? { id: ID, offset: 1 } : undefined)
    expect(play({ position }, [...GREETED, line])[4]).toMatchObject(step)
  })
}

const INFO = '*1\r\n$4\r\nINFO\r\n'
const LINES = [
  '# Replication',
  'role:master',
  `master_replid:${ID}`,
  `master_replid2:${'b'.repeat(40)}`,
  'master_repl_offset:150',
  'second_repl_offset:101',
  'db0:keys=5,expires=1,avg_ttl=0',
  'db3:keys=2,expires=0,avg_ttl=0',
  '',
]
const INFO_REPLY = [`$${LINES.join('\r\n').length}`, ...LINES]

test('who doubts its history asks for the lineage in the burst, and PSYNC waits for the answer', () => {
  const handshake = new Handshake({ ...PLAIN, asksLineage: true })
  expect(handshake.line('+PONG')).toMatchObject({ bytes: PORT + CAPA + VERSION + INFO })
  for (const line of ['+OK', '+OK', '+OK', ...INFO_REPLY.slice(0, -1)]) {
    expect(handshake.line(line)).toEqual(WAIT)
  }
  expect(handshake.line(INFO_REPLY.at(-1)!)).toMatchObject({ kind: 'send' })
  expect(handshake.lineage).toEqual({
    id: ID,
    offset: 150,
    previousId: 'b'.repeat(40),
    secondOffset: 101,
    isReplica: false,
    keys: 7,
  })
})

test('a master that does not let INFO be asked tells nothing, and PSYNC goes out all the same', () => {
  const handshake = new Handshake({ ...PLAIN, asksLineage: true })
  for (const line of GREETED) handshake.line(line)
  expect(handshake.line('-NOPERM this user has no permissions')).toMatchObject({ kind: 'send' })
  expect(handshake.lineage).toBe('untold')
})

test('an answer to INFO that is too large or of another length than it says ends the attempt', () => {
  for (const reply of [['$9999999999'], ['$-1'], ['$4', 'too long for four']]) {
    const handshake = new Handshake({ ...PLAIN, asksLineage: true })
    for (const line of GREETED) handshake.line(line)
    const steps = reply.map((line) => handshake.line(line))
    expect(steps.at(-1)).toMatchObject({ kind: 'failed' })
  }
})

test('a master that does not know PSYNC is asked with SYNC by who has nothing to lose', () => {
  const terms = { acceptsUnplaced: true }
  const unknown = "-ERR unknown command 'PSYNC'"
  const steps = play(terms, [...GREETED, unknown, '', '$77'])
  expect(steps.slice(4)).toEqual(['SYNC\r\n', WAIT, { kind: 'unplaced', header: '$77' }])
  expect(play(terms, [...GREETED, unknown, '-ERR no'])[5]).toMatchObject({ kind: 'failed' })
})

for (const line of ['-NOMASTERLINK not now', '-LOADING the dataset']) {
  test(`"${line}" passes: SYNC would not help`, () => {
    const steps = play({ acceptsUnplaced: true }, [...GREETED, line])
    expect(steps[4]).toMatchObject({ kind: 'failed' })
  })
}

test('a failover does not fall back to SYNC: a refusal is an answer', () => {
  const terms = { acceptsUnplaced: true, takeOver: true }
  expect(play(terms, [...GREETED, '-ERR no'])[4]).toMatchObject({ kind: 'failed' })
})
