import { expect, test } from 'vitest'
import { receiveHello } from '../../../src/core/discovery/hello-receive.ts'
import { sendHelloToAll } from '../../../src/core/discovery/hello-send.ts'
import { MYID, PEERS, TestSentinel } from '../../support/sentinel-builder.ts'

const PERIOD_MS = 2_000

/** Hellos with our own id from this address, one in each period. */
function hear(sentinel: TestSentinel, address: string, periods: number): void {
  for (let period = 0; period < periods; period++) {
    sentinel.advance(PERIOD_MS)
    const payload = `${address},${MYID},0,mymaster,10.0.0.1,6379,0`
    sentinel.run((turn) => receiveHello(turn, payload))
  }
}

function warnings(sentinel: TestSentinel): readonly string[] {
  return sentinel.effects.flatMap((one) =>
    one.kind === 'log' && one.level === 'warning' ? [one.text] : [],
  )
}

test('a clone that says hello again and again is told once, shown while it is heard, and is no peer', () => {
  const sentinel = new TestSentinel({ peers: PEERS })
  hear(sentinel, '10.0.0.66,26379', 40)
  expect(warnings(sentinel)).toEqual([
    expect.stringContaining(
      'another Sentinel, at 10.0.0.66:26379, says hello with the id of this one',
    ),
  ])
  expect(sentinel.remarks()).toEqual([
    expect.stringMatching(
      /^remark0:group=mymaster,instance=,text=another Sentinel, at 10\.0\.0\.66/,
    ),
  ])
  expect([...sentinel.group.peers.keys()]).toEqual(PEERS.map(({ runId }) => runId))
  sentinel.advance(6 * PERIOD_MS)
  expect(sentinel.remarks()).toEqual([])
  hear(sentinel, '10.0.0.66,26379', 20)
  expect(warnings(sentinel)).toHaveLength(1)
})

test('addresses that we have announced ourselves are no clones, now or before CONFIG SET announce-ip', () => {
  const sentinel = new TestSentinel({ peers: PEERS, announceIp: '10.0.0.7' })
  const client = sentinel.connect()
  for (const ip of ['10.0.0.7', '10.0.0.8', 'sentinel-1.example']) {
    client.ask(`SENTINEL CONFIG SET announce-ip ${ip}`)
    sentinel.run((turn) => sendHelloToAll(turn, sentinel.group))
  }
  for (const ip of ['10.0.0.7', '10.0.0.8', 'sentinel-1.example']) hear(sentinel, `${ip},26379`, 20)
  expect([...warnings(sentinel), ...sentinel.remarks()]).toEqual([])
})

test('what a lagging replica still tells of our time before a restart is no clone', () => {
  const sentinel = new TestSentinel({ peers: PEERS })
  hear(sentinel, '10.0.0.66,26379', 9)
  sentinel.advance(6 * PERIOD_MS)
  hear(sentinel, '10.0.0.66,26379', 9)
  expect([...warnings(sentinel), ...sentinel.remarks()]).toEqual([])
})

test('strangers who make up addresses take no more room than a few', () => {
  const sentinel = new TestSentinel({ peers: PEERS })
  for (let number = 0; number < 1_000; number++) hear(sentinel, `10.0.1.1,${1 + number}`, 1)
  expect(sentinel.state.clones?.sightings.size).toBeLessThanOrEqual(64)
})
