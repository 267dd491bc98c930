import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatHello, parseHello } from '../../src/core/discovery/hello-format.ts'
import { parseInfo } from '../../src/core/discovery/info-parser.ts'
import { parseEpoch } from '../../src/core/election/epoch.ts'

const HELLO = {
  host: '10.0.0.9',
  port: 26379,
  runId: 'ab'.repeat(20),
  currentEpoch: 7,
  group: 'mymaster',
  masterHost: '10.0.0.1',
  masterPort: 6379,
  configEpoch: 3,
}

describe('hello', () => {
  test('what is formatted is parsed back', () => {
    expect(parseHello(formatHello(HELLO))).toEqual(HELLO)
  })

  test.each([
    ['seven tokens', '10.0.0.9,26379,x,7,mymaster,10.0.0.1,6379'],
    ['a negative epoch', formatHello({ ...HELLO, currentEpoch: -1 })],
    ['an epoch of more digits than there are', `${formatHello(HELLO)}${'0'.repeat(20)}`],
    ['a port that is none', formatHello({ ...HELLO, port: 70_000 })],
    ['a run id that is none', formatHello({ ...HELLO, runId: 'nobody' })],
    ['an empty host', formatHello({ ...HELLO, masterHost: '' })],
  ])('with %s it is refused as a whole', (_, payload) => {
    expect(parseHello(payload)).toBeUndefined()
  })

  test('no text makes the parser throw or give an epoch that is none', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { maxLength: 10 }), (tokens) => {
        const hello = parseHello(tokens.join(','))
        if (hello !== undefined) expect(hello.currentEpoch).toBeGreaterThanOrEqual(0)
      }),
    )
  })
})

test('an epoch is plain decimal digits', () => {
  expect(['0', '12', '007'].map(parseEpoch)).toEqual([0, 12, 7])
  expect(['', '-1', '+1', '1e3', ' 1', '0x1', '9'.repeat(21)].map(parseEpoch)).toEqual(
    Array(7).fill(undefined),
  )
})

describe('INFO', () => {
  test('a master lists its replicas, in the new form and in the old one', () => {
    const text = [
      '# Server',
      `run_id:${'1'.repeat(40)}`,
      'role:master',
      'slave0:ip=10.0.0.2,port=6380,state=online,offset=1,lag=0',
      'slave1:10.0.0.3,6381,online',
      'slave2:ip=,port=0',
      '',
    ].join('\r\n')
    expect(parseInfo(text)).toMatchObject({
      runId: '1'.repeat(40),
      role: 'master',
      replicas: [
        { host: '10.0.0.2', port: 6380 },
        { host: '10.0.0.3', port: 6381 },
      ],
    })
  })

  test('a replica tells whom it follows and how far it is', () => {
    const text = [
      'role:slave',
      'master_host:10.0.0.1',
      'master_port:6379',
      'master_link_status:down',
      'master_link_down_since_seconds:12',
      'slave_repl_offset:4242',
      'slave_priority:10',
      'replica_announced:0',
    ].join('\r\n')
    expect(parseInfo(text)).toMatchObject({
      role: 'slave',
      masterHost: '10.0.0.1',
      masterPort: 6379,
      masterLinkUp: false,
      masterLinkDownMs: 12_000,
      offset: 4242,
      priority: 10,
      announced: false,
    })
  })

  test('a replica that was never connected is not taken for one that is long disconnected', () => {
    expect(parseInfo('master_link_down_since_seconds:-1').masterLinkDownMs).toBe(0)
  })

  test('no text makes the parser throw', () => {
    fc.assert(fc.property(fc.string(), (text) => void parseInfo(text)))
  })
})
