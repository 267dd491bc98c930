import { expect, test } from 'vitest'
import { EPOCH_MAX } from '../../../src/core/election/epoch.ts'
import type { Failover } from '../../../src/core/state.ts'
import {
  MYID,
  MYMASTER,
  PEERS,
  REPLICAS,
  type SentinelSetup,
  START,
  TestSentinel,
} from '../../support/sentinel-builder.ts'
import { wireBulk, wireBulks, wireMap } from '../../support/wire.ts'

/** A group that is judged as a C Sentinel does, and shown so. */
const FULL: SentinelSetup = {
  groups: [{ ...MYMASTER, detection: 'ping' }],
  ...{ replicas: REPLICAS, peers: PEERS, configEpoch: 3, currentEpoch: 5 },
}
const NO_MASTER = '-ERR No such master with that name\r\n'

const MASTER = wireMap(
  ...['name', 'mymaster', 'ip', '10.0.0.1', 'port', '6379', 'runid', 'mymaster'],
  ...['flags', 'master', 'link-pending-commands', '0', 'link-refcount', '1'],
  ...['last-ping-sent', '0', 'last-ok-ping-reply', '250', 'last-ping-reply', '250'],
  ...['down-after-milliseconds', '30000', 'info-refresh', '250', 'role-reported', 'master'],
  ...['role-reported-time', '250', 'config-epoch', '3', 'num-slaves', '2'],
  ...['num-other-sentinels', '2', 'quorum', '2', 'failover-timeout', '180000'],
  ...['parallel-syncs', '1'],
)

const REPLICA = wireMap(
  ...['name', '10.0.0.2:6380', 'ip', '10.0.0.2', 'port', '6380', 'runid', '10.0.0.2:6380'],
  ...['flags', 'slave', 'link-pending-commands', '0', 'link-refcount', '1'],
  ...['last-ping-sent', '0', 'last-ok-ping-reply', '250', 'last-ping-reply', '250'],
  ...['down-after-milliseconds', '30000', 'info-refresh', '250', 'role-reported', 'slave'],
  ...['role-reported-time', '250', 'master-link-down-time', '0', 'master-link-status', 'err'],
  ...['master-host', '?', 'master-port', '0', 'slave-priority', '100'],
  ...['slave-repl-offset', '0', 'replica-announced', '1'],
)

const PEER = wireMap(
  ...['name', 'a'.repeat(40), 'ip', '10.0.0.11', 'port', '26379', 'runid', 'a'.repeat(40)],
  ...['flags', 'sentinel', 'link-pending-commands', '0', 'link-refcount', '1'],
  ...['last-ping-sent', '0', 'last-ok-ping-reply', '250', 'last-ping-reply', '250'],
  ...['down-after-milliseconds', '30000', 'last-hello-message', '250'],
  ...['voted-leader', '?', 'voted-leader-epoch', '0'],
)

/** A while after the start, so that ages are not all zero. */
function sentinelWith(setup: SentinelSetup): TestSentinel {
  const sentinel = new TestSentinel(setup)
  sentinel.advance(250)
  return sentinel
}

function flagsIn(answer: string): string {
  return /\r\nflags\r\n\$\d+\r\n(.*?)\r\n/.exec(answer)?.[1] ?? ''
}

const LOOKS: readonly (readonly [line: string, answer: string])[] = [
  ['SENTINEL MASTERS', `*1\r\n${MASTER}`],
  ['SENTINEL PRIMARIES', `*1\r\n${MASTER}`],
  ['SENTINEL MASTER mymaster', MASTER],
  ['SENTINEL PRIMARY mymaster', MASTER],
  ['SENTINEL MASTER MYMASTER', NO_MASTER],
  ['SENTINEL REPLICAS nope', NO_MASTER],
  ['SENTINEL SLAVES nope', NO_MASTER],
  ['SENTINEL SENTINELS nope', NO_MASTER],
  ['SENTINEL CKQUORUM nope', NO_MASTER],
  ['SENTINEL MYID', wireBulk(MYID)],
  ['SENTINEL GET-MASTER-ADDR-BY-NAME mymaster', wireBulks('10.0.0.1', '6379')],
  ['sentinel get-primary-addr-by-name mymaster', wireBulks('10.0.0.1', '6379')],
  ['SENTINEL GET-MASTER-ADDR-BY-NAME nope', '*-1\r\n'],
  ['SENTINEL PENDING-SCRIPTS', '*0\r\n'],
  ['SENTINEL INFO-CACHE nope', '*0\r\n'],
]

for (const [line, answer] of LOOKS) {
  test(`${line} is answered as C Sentinel does`, () => {
    expect(sentinelWith(FULL).connect().ask(line)).toBe(answer)
  })
}

test('a replica is shown with 21 fields, under both names of the command', () => {
  const client = sentinelWith({ ...FULL, replicas: REPLICAS.slice(0, 1) }).connect()
  expect(client.ask('SENTINEL REPLICAS mymaster')).toBe(`*1\r\n${REPLICA}`)
  expect(client.ask('SENTINEL SLAVES mymaster')).toBe(`*1\r\n${REPLICA}`)
})

test('a peer is shown with 14 fields', () => {
  const client = sentinelWith({ peers: PEERS.slice(0, 1) }).connect()
  expect(client.ask('SENTINEL SENTINELS mymaster')).toBe(`*1\r\n${PEER}`)
})

test('in RESP3 instances are maps of bulk strings and an unknown address is null', () => {
  const client = sentinelWith(FULL).connect()
  client.ask('HELLO 3')
  expect(client.ask('SENTINEL MASTER mymaster')).toBe(MASTER.replace('*40', '%20'))
  expect(client.ask('SENTINEL GET-MASTER-ADDR-BY-NAME nope')).toBe('_\r\n')
})

test.each([
  ['detection by evidence', { detection: 'evidence' }, ['evidence', '250', '0']],
  ['a gray-after', { detection: 'ping', grayAfterMs: 7000 }, ['ping', '250', '7000']],
] as const)(
  'a master with %s shows how it is judged, after all other fields',
  (_, change, shown) => {
    const group = { ...MYMASTER, ...change }
    const client = sentinelWith({ ...FULL, groups: [group] }).connect()
    const [detection, refusedAfter, grayAfter] = shown
    const judged = ['detection', detection, 'refused-after', refusedAfter]
    const own = [...judged, 'gray-after', grayAfter, 'forget-after', '0']
    expect(client.ask('SENTINEL MASTER mymaster')).toBe(
      MASTER.replace('*40', '*48') + own.map(wireBulk).join(''),
    )
    expect(client.ask('SENTINEL REPLICAS mymaster')).not.toContain('refused-after')
  },
)

test('a replica that is not announced is hidden but counted', () => {
  const sentinel = sentinelWith(FULL)
  for (const replica of sentinel.group.replicas.values()) replica.announced = false
  const client = sentinel.connect()
  expect(client.ask('SENTINEL REPLICAS mymaster')).toBe('*0\r\n')
  expect(client.ask('SENTINEL MASTER mymaster')).toContain('num-slaves\r\n$1\r\n2\r\n')
})

test('a master that is down shows since when, by whose word, and the age of the pending PING', () => {
  const sentinel = sentinelWith(FULL)
  const { group } = sentinel
  group.master.link.pingPendingSinceMs = START.monoMs + 50
  group.master.sdownSinceMs = START.monoMs + 100
  group.odownSinceMs = START.monoMs + 200
  const answer = sentinel.connect().ask('SENTINEL MASTER mymaster')
  expect(flagsIn(answer)).toBe('s_down,o_down,master')
  expect(answer).toContain(wireBulk('last-ping-sent') + wireBulk('200'))
  expect(answer).toContain(
    ['s-down-time', '150', 'o-down-time', '50', 'down-after-milliseconds'].map(wireBulk).join(''),
  )
})

test('a lost connection of either kind shows as disconnected', () => {
  const sentinel = sentinelWith(FULL)
  const client = sentinel.connect()
  const { link } = sentinel.group.master
  link.pubsub = undefined
  expect(flagsIn(client.ask('SENTINEL MASTER mymaster'))).toBe('master,disconnected')
})

test('a master that never gave INFO shows age 0', () => {
  const sentinel = sentinelWith({})
  sentinel.group.master.infoAtMs = undefined
  const client = sentinel.connect()
  expect(client.ask('SENTINEL MASTER mymaster')).toContain('info-refresh\r\n$1\r\n0\r\n')
  expect(client.ask('SENTINEL INFO-CACHE mymaster')).toBe(
    `*2\r\n${wireBulk('mymaster')}*1\r\n*2\r\n:0\r\n$-1\r\n`,
  )
})

test('a failover shows on the master, its phases on the replicas', () => {
  const sentinel = sentinelWith(FULL)
  const { group } = sentinel
  const [promoted, other] = [...group.replicas.values()]
  if (promoted === undefined || other === undefined) throw new Error('two replicas')
  promoted.promoted = true
  other.reconf = 'inprog'
  group.failover = failover({ state: 'wait_promotion', kind: 'forced', promoted })
  const client = sentinel.connect()
  const answer = client.ask('SENTINEL MASTER mymaster')
  expect(flagsIn(answer)).toBe('master,failover_in_progress,force_failover')
  expect(answer).toContain(wireBulk('failover-state') + wireBulk('wait_promotion'))
  const replicas = client.ask('SENTINEL REPLICAS mymaster')
  expect(flagsIn(replicas)).toBe('slave,promoted')
  expect(replicas).toContain(wireBulk('slave,reconf_inprog'))
})

test('a peer shows its opinion and its vote', () => {
  const sentinel = sentinelWith({ peers: PEERS.slice(0, 1) })
  const [peer] = [...sentinel.group.peers.values()]
  if (peer === undefined) throw new Error('one peer')
  peer.masterDown = true
  peer.vote = { leader: MYID, epoch: 7 }
  const answer = sentinel.connect().ask('SENTINEL SENTINELS mymaster')
  expect(flagsIn(answer)).toBe('sentinel,master_down')
  expect(answer).toContain(['voted-leader', MYID, 'voted-leader-epoch', '7'].map(wireBulk).join(''))
})

test('MASTER and MASTERS show the promoted replica as the master while the others are turned to it', () => {
  const sentinel = sentinelWith(FULL)
  const { group } = sentinel
  const [promoted] = group.replicas.values()
  if (promoted === undefined) throw new Error('a replica')
  Object.assign(promoted, { promoted: true, roleReported: 'master' })
  Object.assign(group.master, { sdownSinceMs: START.monoMs })
  group.odownSinceMs = START.monoMs
  group.failover = failover({ state: 'reconf_slaves', kind: 'coordinated', promoted })
  for (const words of ['SENTINEL MASTER mymaster', 'SENTINEL MASTERS']) {
    const answer = sentinel.connect().ask(words)
    expect(flagsIn(answer)).toBe('master,failover_in_progress,coordinated_failover')
    for (const fields of [
      ['name', 'mymaster', 'ip', '10.0.0.2', 'port', '6380', 'runid', '10.0.0.2:6380'],
      ['failover-state', 'reconf_slaves'],
      ['role-reported', 'master'],
      ['config-epoch', '3', 'num-slaves', '2'],
    ]) {
      expect(answer).toContain(fields.map(wireBulk).join(''))
    }
  }
})

test('the address given is the promoted replica as soon as it is promoted, not before', () => {
  const sentinel = sentinelWith(FULL)
  const { group } = sentinel
  const [promoted] = group.replicas.values()
  const client = sentinel.connect()
  group.failover = failover({ state: 'wait_promotion', promoted })
  expect(client.ask('SENTINEL GET-MASTER-ADDR-BY-NAME mymaster')).toContain('10.0.0.1')
  expect(client.ask('SENTINEL MASTER mymaster')).toContain(wireBulk('10.0.0.1'))
  group.failover = failover({ state: 'reconf_slaves', promoted })
  expect(client.ask('SENTINEL GET-MASTER-ADDR-BY-NAME mymaster')).toContain('10.0.0.2')
})

test('INFO-CACHE gives ages as integers and names a group once', () => {
  const client = sentinelWith({ replicas: REPLICAS.slice(0, 1) }).connect()
  const entry = (name: string) => `*2\r\n:250\r\n${wireBulk(`run_id:${name}`)}`
  expect(client.ask('SENTINEL INFO-CACHE mymaster nope mymaster')).toBe(
    `*2\r\n${wireBulk('mymaster')}*2\r\n${entry('mymaster')}${entry('10.0.0.2:6380')}`,
  )
})

const MISSING_QUORUM =
  'Not enough available Sentinels to reach the specified quorum for this master'
const MISSING_MAJORITY =
  'Not enough available Sentinels to reach the majority and authorize a failover'

const QUORUMS = [
  {
    quorum: 2,
    down: 0,
    answer: '+OK 3 usable Sentinels. Quorum and failover authorization can be reached',
  },
  {
    quorum: 2,
    down: 1,
    answer: '+OK 2 usable Sentinels. Quorum and failover authorization can be reached',
  },
  { quorum: 3, down: 1, answer: `-NOQUORUM 2 usable Sentinels. ${MISSING_QUORUM}` },
  { quorum: 1, down: 2, answer: `-NOQUORUM 1 usable Sentinels. ${MISSING_MAJORITY}` },
  {
    quorum: 2,
    down: 2,
    answer: `-NOQUORUM 1 usable Sentinels. ${MISSING_QUORUM}. ${MISSING_MAJORITY}`,
  },
]

for (const { quorum, down, answer } of QUORUMS) {
  test(`CKQUORUM with quorum ${quorum} and ${down} of 3 Sentinels down: ${answer}`, () => {
    const sentinel = sentinelWith(FULL)
    sentinel.group.config = { ...sentinel.group.config, quorum }
    for (const peer of [...sentinel.group.peers.values()].slice(0, down)) {
      peer.sdownSinceMs = START.monoMs
    }
    expect(sentinel.connect().ask('SENTINEL CKQUORUM mymaster')).toBe(`${answer}\r\n`)
  })
}

test('CKQUORUM without an epoch for an election says so, however many Sentinels there are', () => {
  const sentinel = sentinelWith(FULL)
  sentinel.state.currentEpoch = EPOCH_MAX
  expect(sentinel.connect().ask('SENTINEL CKQUORUM mymaster')).toBe(
    '-NOQUORUM 3 usable Sentinels. No epoch is left to elect a leader in: see `vedette epochs`\r\n',
  )
})

function failover(given: Partial<Failover>): Failover {
  return {
    state: 'wait_start',
    epoch: 6,
    startedAtMs: START.monoMs,
    stateChangedAtMs: START.monoMs,
    kind: 'automatic',
    promoted: undefined,
    target: undefined,
    hasOrdered: false,
    acceptedAtMs: undefined,
    refusal: undefined,
    release: 'due',
    heir: undefined,
    fencing: undefined,
    ...given,
  }
}
