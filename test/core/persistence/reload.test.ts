import { describe, expect, test } from 'vitest'
import {
  DEFAULT_GROUP,
  DEFAULT_PERIODS,
  DEFAULT_SENTINEL,
  type SentinelConfig,
} from '../../../src/core/config.ts'
import { step } from '../../../src/core/step.ts'
import { savedBy } from '../../support/frozen-save.ts'
import {
  MYMASTER,
  PEERS,
  REPLICAS,
  type SentinelSetup,
  TestSentinel,
} from '../../support/sentinel-builder.ts'

/** A Sentinel, and the file it was started with. */
function start(setup: SentinelSetup = {}) {
  const { replicas, peers, currentEpoch, configEpoch, ...config } = setup
  const file: SentinelConfig = { ...DEFAULT_SENTINEL, groups: [MYMASTER], ...config }
  const sentinel = new TestSentinel({ replicas: REPLICAS, peers: PEERS, configEpoch: 7, ...setup })
  let before = file
  const reload = (changed: Partial<SentinelConfig>) => {
    const next = { ...before, ...changed }
    const effects = step(sentinel.state, sentinel.now, { kind: 'reloaded', config: next, before })
    before = next
    const logged = effects.flatMap((effect) => (effect.kind === 'log' ? [effect.text] : []))
    return { effects, logged }
  }
  return { sentinel, reload }
}

/** Another value of the same type. */
function changed(value: unknown): unknown {
  if (typeof value === 'number') return value + 1
  return typeof value === 'string' ? `${value}x` : [['config', 'x']]
}

const OTHER = { ...MYMASTER, name: 'other', host: '10.0.9.1' }

describe('groups', () => {
  test('the same file changes nothing, and says nothing', () => {
    const { sentinel, reload } = start()
    const group = sentinel.group
    const { effects, logged } = reload({})
    expect(logged).toEqual([])
    expect(effects.filter(({ kind }) => kind !== 'save')).toEqual([])
    expect(sentinel.group).toBe(group)
  })

  test('a group that is new in the file is monitored', () => {
    const { sentinel, reload } = start()
    const { effects, logged } = reload({ groups: [MYMASTER, OTHER] })
    expect([...sentinel.state.groups.keys()]).toEqual(['mymaster', 'other'])
    expect(logged).toContain('+monitor master other 10.0.9.1 6379 quorum 2')
    expect(savedBy(effects.at(-1))).toMatchObject({ groups: [{}, { file: OTHER }] })
  })

  test('a group that has gone from the file is forgotten, and can come back', () => {
    const { sentinel, reload } = start({ groups: [MYMASTER, OTHER] })
    const { logged } = reload({ groups: [MYMASTER] })
    expect([...sentinel.state.groups.keys()]).toEqual(['mymaster'])
    expect(logged).toContain('-monitor master other 10.0.9.1 6379')
    expect(sentinel.state.removed).toEqual([])
    reload({ groups: [MYMASTER, OTHER] })
    expect(sentinel.state.groups.has('other')).toBe(true)
  })

  test('a group made by SENTINEL MONITOR stays, though no file knows it', () => {
    const { sentinel, reload } = start()
    sentinel.connect().ask('SENTINEL MONITOR extra 10.0.8.1 6379 1')
    reload({ groups: [MYMASTER, OTHER] })
    expect([...sentinel.state.groups.keys()]).toEqual(['mymaster', 'extra', 'other'])
  })

  test('a group taken away by SENTINEL REMOVE stays away until the file says something new of it', () => {
    const { sentinel, reload } = start()
    sentinel.connect().ask('SENTINEL REMOVE mymaster')
    reload({ maxClients: 5 })
    expect(sentinel.state.groups.size).toBe(0)
    reload({ groups: [{ ...MYMASTER, quorum: 1 }] })
    expect(sentinel.group.config.quorum).toBe(1)
  })

  test('a group that was removed and monitored again stays as it was monitored', () => {
    const { sentinel, reload } = start()
    sentinel.connect().ask('SENTINEL REMOVE mymaster')
    sentinel.connect().ask('SENTINEL MONITOR mymaster 10.0.8.1 6379 1')
    reload({ maxClients: 5 })
    expect(sentinel.group.config).toMatchObject({ host: '10.0.8.1', quorum: 1 })
  })

  test('a changed option counts at once, and an option set at run time stands', () => {
    const { sentinel, reload } = start()
    sentinel.connect().ask('SENTINEL SET mymaster parallel-syncs 4')
    const { logged } = reload({ groups: [{ ...MYMASTER, downAfterMs: 5_000, authPass: 'secret' }] })
    expect(sentinel.group.config).toMatchObject({ downAfterMs: 5_000, parallelSyncs: 4 })
    expect(sentinel.group.replicas.size).toBe(2)
    expect(logged).toContain('reload: mymaster: down-after-milliseconds was 30000, is 5000')
    expect(logged).toContain('reload: mymaster: auth-pass has changed')
    expect(logged.join()).not.toContain('secret')
  })

  test.each([
    ['detection', { detection: 'ping' }, 'detection was "evidence", is "ping"'],
    ['refused-after', { refusedAfterMs: 400 }, 'refused-after was 250, is 400'],
    ['gray-after', { grayAfterMs: 5_000 }, 'gray-after was 0, is 5000'],
  ] as const)('a changed %s counts at once, and the log says so', (_, change, told) => {
    const { sentinel, reload } = start()
    const { logged } = reload({ groups: [{ ...MYMASTER, ...change }] })
    expect(sentinel.group.config).toEqual({ ...MYMASTER, ...change })
    expect(logged).toEqual([`reload: mymaster: ${told}`])
  })

  test('no option of a group changes in silence', () => {
    for (const [key, value] of Object.entries(DEFAULT_GROUP)) {
      const { reload } = start()
      const other = key === 'detection' ? 'ping' : changed(value)
      const { logged } = reload({ groups: [{ ...MYMASTER, [key]: other }] })
      expect(logged, key).toEqual([expect.stringMatching(/^reload: mymaster: [a-z-]+ (was|has) /)])
    }
  })

  test('a detection set at run time stands until the file names another', () => {
    const { sentinel, reload } = start()
    sentinel.connect().ask('SENTINEL SET mymaster detection ping refused-after 400')
    reload({ groups: [{ ...MYMASTER, quorum: 1 }] })
    expect(sentinel.group.config).toMatchObject({ detection: 'ping', refusedAfterMs: 400 })
    reload({ groups: [{ ...MYMASTER, refusedAfterMs: 300 }] })
    expect(sentinel.group.config).toMatchObject({ detection: 'ping', refusedAfterMs: 300 })
  })

  test('an option set at run time gives way when the file names another value for it', () => {
    const { sentinel, reload } = start()
    sentinel.connect().ask('SENTINEL SET mymaster parallel-syncs 4')
    reload({ groups: [{ ...MYMASTER, parallelSyncs: 2 }] })
    expect(sentinel.group.config.parallelSyncs).toBe(2)
  })

  test('what was taken from the file is what later changes are measured by', () => {
    const { sentinel, reload } = start()
    reload({ groups: [{ ...MYMASTER, quorum: 1 }] })
    sentinel.connect().ask('SENTINEL SET mymaster quorum 3')
    reload({ maxClients: 5 })
    expect(sentinel.group.config.quorum).toBe(3)
  })

  test('the address a failover has led to stands while the file names the old one', () => {
    const { sentinel, reload } = start()
    const hello = `10.0.0.11,26379,${PEERS[0]?.runId},9,mymaster,10.0.0.2,6380,9`
    sentinel.connect().ask(`PUBLISH __sentinel__:hello ${hello}`)
    expect(sentinel.group.master).toMatchObject({ host: '10.0.0.2', port: 6380 })
    reload({ groups: [{ ...MYMASTER, quorum: 1 }] })
    expect(sentinel.group.master).toMatchObject({ host: '10.0.0.2', port: 6380 })
    expect(sentinel.group.config).toMatchObject({ host: '10.0.0.2', port: 6380, quorum: 1 })
  })

  test('another address in the file is where the master is, with peers and replicas as before, and in epoch 0', () => {
    const { sentinel, reload } = start()
    const { logged } = reload({ groups: [{ ...MYMASTER, host: '10.0.0.2', port: 6380 }] })
    const { master, peers, replicas, configEpoch } = sentinel.group
    expect(master).toMatchObject({ host: '10.0.0.2', port: 6380 })
    expect([peers.size, configEpoch]).toEqual([2, 0])
    expect([...replicas.keys()]).toEqual(['10.0.0.3:6381'])
    expect(logged).toContain('+monitor master mymaster 10.0.0.2 6380 quorum 2')
  })

  test('another address in one file gives way to the master that the other Sentinels have in an epoch', () => {
    const { sentinel, reload } = start()
    reload({ groups: [{ ...MYMASTER, host: '10.0.0.0' }] })
    const theirs = `10.0.0.11,26379,${PEERS[0]?.runId},7,mymaster,${MYMASTER.host},6379,7`
    sentinel.connect().ask(`PUBLISH __sentinel__:hello ${theirs}`)
    expect(sentinel.group).toMatchObject({ configEpoch: 7, master: { host: MYMASTER.host } })
  })

  test('a server that only the edited file has named is not made a replica: it may be of somebody else', () => {
    const { sentinel, reload } = start()
    const theirs = `10.0.0.11,26379,${PEERS[0]?.runId},7,mymaster,${MYMASTER.host},6379,7`
    const hear = () => sentinel.connect().ask(`PUBLISH __sentinel__:hello ${theirs}`)
    hear()
    reload({ groups: [{ ...MYMASTER, host: '10.0.9.9' }] })
    hear()
    expect(sentinel.group.master.host).toBe(MYMASTER.host)
    const hosts = [...sentinel.group.replicas.values()].map(({ host }) => host)
    expect(hosts).toEqual(['10.0.0.2', '10.0.0.3'])
  })

  test('new credentials for the data nodes need new connections', () => {
    const { sentinel, reload } = start()
    const before = sentinel.group.master.link.command
    reload({ groups: [{ ...MYMASTER, authPass: 'new' }] })
    expect(sentinel.group.master.link.command).not.toBe(before)
  })
})

describe('everything else', () => {
  test('settings follow the file, but for what SENTINEL CONFIG SET has changed', () => {
    const { sentinel, reload } = start({ announcePort: 1 })
    sentinel.connect().ask('SENTINEL CONFIG SET announce-ip 10.0.0.99')
    const { effects, logged } = reload({ announcePort: 2, logLevel: 'debug' })
    expect(sentinel.state.config).toMatchObject({ announcePort: 2, announceIp: '10.0.0.99' })
    expect(effects).toContainEqual({ kind: 'setLogLevel', level: 'debug' })
    expect(logged).toContain('reload: announce-port was 1, is 2')
  })

  test('a new requirepass keeps out who knows the old one, and meets the peers anew', () => {
    const { sentinel, reload } = start({ requirepass: 'old' })
    const peer = [...sentinel.group.peers.values()][0]
    const link = peer?.link.command
    const { logged } = reload({ requirepass: 'new' })
    const client = sentinel.connect()
    expect(client.ask('AUTH old')).toMatch(/^-WRONGPASS/)
    expect(client.ask('AUTH new')).toBe('+OK\r\n')
    expect(peer?.link.command).not.toBe(link)
    expect(logged).toContain('reload: users and passwords of this port have changed')
  })

  test('the number of clients, and who may change scripts', () => {
    const { sentinel, reload } = start()
    reload({ maxClients: 17, denyScriptsReconfig: false, protectedMode: true })
    const { maxClients, denyScriptsReconfig, protectedMode } = sentinel.state.config
    expect({ maxClients, denyScriptsReconfig, protectedMode }).toEqual({
      maxClients: 17,
      denyScriptsReconfig: false,
      protectedMode: true,
    })
  })

  test('periods that SENTINEL DEBUG has changed stand until the file says something new of them', () => {
    const { sentinel, reload } = start()
    sentinel.connect().ask('SENTINEL DEBUG info-period 500')
    reload({ maxClients: 17 })
    expect(sentinel.state.config.periods.infoMs).toBe(500)
    reload({ periods: { ...DEFAULT_PERIODS, helloMs: 100 } })
    expect(sentinel.state.config.periods).toMatchObject({ infoMs: 10_000, helloMs: 100 })
  })

  test('what only a restart can change stays as it is', () => {
    const { sentinel, reload } = start()
    reload({ port: 1, tlsPort: 2, tlsReplication: true })
    const { port, tlsPort, tlsReplication } = sentinel.state.config
    expect([port, tlsPort, tlsReplication]).toEqual([26_379, 0, false])
  })
})
