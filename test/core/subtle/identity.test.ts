/**
 * Facts about Sentinel, section 15: whose configuration counts, who a peer is, and by which names everybody
 * goes. Where we differ on purpose the test says what we do, and a line above it what C Sentinel does.
 */
import { describe, expect, test } from 'vitest'
import { array, bulk, integer } from '../../../src/resp/reply.ts'
import { GROUP, ME, SentinelStage } from '../../support/sentinel-stage.ts'

const NEWER = { masterHost: '10.0.0.2', configEpoch: 2 } as const
const B = 'b'.repeat(40)
const E = 'e'.repeat(40)

function masterOf(stage: SentinelStage): string | undefined {
  return stage.show('master')?.ip
}

function lastHello(stage: SentinelStage, to = 'peer2'): readonly string[] {
  const { argv } = stage.sentTo(to, 'PUBLISH').at(-1) ?? { argv: [] }
  return argv[2]?.split(',') ?? []
}

describe('15.21', () => {
  test('15.21 the higher config epoch wins, whatever the current epoch', () => {
    const stage = new SentinelStage()
    stage.hello('peer2', { currentEpoch: 50, masterHost: '10.0.0.3', configEpoch: 0 })
    expect(masterOf(stage)).toBe('10.0.0.1')
    stage.hello('peer1', { ...NEWER, currentEpoch: 3 })
    expect(masterOf(stage)).toBe('10.0.0.2')
    expect(stage.saved).toMatchObject({ currentEpoch: 50, groups: [{ configEpoch: 2 }] })
  })

  test('15.21 the higher config epoch wins in TILT, too', () => {
    const stage = new SentinelStage()
    stage.stall(5_000)
    stage.hello('peer1', NEWER)
    expect(stage.times('-tilt')).toEqual([])
    expect(masterOf(stage)).toBe('10.0.0.2')
  })

  test('15.21 a lower config epoch changes nothing', () => {
    const stage = new SentinelStage()
    stage.hello('peer1', NEWER)
    stage.hello('peer2', { masterHost: '10.0.0.1', configEpoch: 1 })
    expect(masterOf(stage)).toBe('10.0.0.2')
  })

  // C ignores an equal epoch with another address for ever, which splits the group for ever.
  test('15.21 of two addresses with the same config epoch the lower one wins', () => {
    const stage = new SentinelStage()
    stage.hello('peer1', NEWER)
    stage.hello('peer2', { masterHost: '10.0.0.3', configEpoch: 2 })
    expect(masterOf(stage)).toBe('10.0.0.2')
    stage.hello('peer2', { masterHost: '10.0.0.1', configEpoch: 2 })
    expect(masterOf(stage)).toBe('10.0.0.1')
  })

  test('15.21 epoch 0 is what the files say, and overrules no file', () => {
    const stage = new SentinelStage()
    stage.hello('peer2', { masterHost: '10.0.0.0', configEpoch: 0 })
    expect(masterOf(stage)).toBe('10.0.0.1')
  })
})

describe('15.22', () => {
  const groups = [GROUP, { ...GROUP, name: 'h' }]

  function known(stage: SentinelStage, group = 'g'): readonly string[] {
    const reply = stage.ask('SENTINEL', 'sentinels', group)
    if (reply.kind !== 'array') throw new Error('no list of Sentinels')
    return reply.items.map((map) => {
      const fields = map.kind === 'map' ? map.entries : []
      const [, ip, port, runId] = fields.map(([, one]) => (one.kind === 'bulk' ? one.bytes : ''))
      return `${runId?.slice(0, 3)} ${ip}:${port}`
    })
  }

  test('15.22 the same run id at another address has moved, in every group', () => {
    const stage = new SentinelStage({ groups })
    stage.hello('peer1', { group: 'h' })
    // C moves it at once; here not as long as it answers where it is.
    stage.run(10)
    stage.hello('peer1', { host: '10.1.0.7' })
    expect(stage.times('+sentinel-address-switch')).toHaveLength(0)
    stage.kill('peer1')
    stage.hello('peer1', { host: '10.1.0.7' })
    expect(stage.times(`+sentinel-address-switch master g 10.0.0.1 6379 ip 10.1.0.7`)).toHaveLength(
      1,
    )
    expect(known(stage)).toContain('bbb 10.1.0.7:26379')
    expect(known(stage)).toHaveLength(2)
    expect(known(stage, 'h')).toEqual(['bbb 10.1.0.7:26379'])
  })

  test('15.22 another run id at a known address replaces the one there, in every group', () => {
    const stage = new SentinelStage({ groups })
    stage.hello('peer1', { group: 'h' })
    stage.part('peer1').runId = E
    stage.hello('peer1')
    stage.run(10)
    expect(stage.times(`+sentinel-invalid-addr sentinel ${B}`)).toHaveLength(2)
    expect(known(stage)).toEqual(['ccc 10.1.0.2:26379', 'eee 10.1.0.1:26379'])
    expect(known(stage, 'h')).toEqual([])
  })

  // C believes the hello, and asks a Sentinel that is there for the vote of one that is not.
  test('15.22 a hello that puts a made-up run id at a known address replaces nobody', () => {
    const stage = new SentinelStage({ groups })
    stage.hello('peer1', { runId: E })
    stage.run(10)
    expect(known(stage)).toEqual(['bbb 10.1.0.1:26379', 'ccc 10.1.0.2:26379'])
    expect(stage.times(`+sentinel sentinel ${E}`)).toHaveLength(0)
  })

  // C has deleted the peer before it finds that it cannot make the new one.
  test('15.22 a peer that names a host nobody can resolve keeps the address it had', () => {
    const stage = new SentinelStage()
    stage.hello('peer1', { host: 'nowhere.example' })
    expect(known(stage)).toEqual(['bbb 10.1.0.1:26379', 'ccc 10.1.0.2:26379'])
    expect(stage.times('Sentinel bbb')).toHaveLength(1)
  })
})

describe('15.24', () => {
  const renamedCommands = [
    ['ping', 'probe'],
    ['publish', 'tell'],
    ['sentinel', 'watch'],
  ] as const

  test('15.24 commands renamed in a group go to its peers under those names', () => {
    const stage = new SentinelStage({ group: { renamedCommands } })
    stage.kill('master')
    stage.run(2_000)
    const verbs = new Set(stage.sentTo('peer1').map(({ argv }) => argv[0]))
    expect(verbs).toEqual(new Set(['CLIENT', 'probe', 'tell', 'watch']))
  })

  test('15.24 so a peer that knows PING by that name only is down', () => {
    const stage = new SentinelStage({ group: { renamedCommands } })
    stage.run(5_000)
    expect(stage.show('sentinels', 'peer1')?.flags).toMatch(/^s_down,/)
  })
})

describe('further traps: names and epochs', () => {
  // C has no such filter here, and lists itself as a peer.
  test('a hello of our own that comes by PUBLISH is not taken for a peer’s', () => {
    const stage = new SentinelStage()
    stage.hello('peer1', { runId: ME, host: '10.1.0.9' })
    stage.hello('peer1', { runId: ME, ...NEWER })
    expect(stage.show('master')).toMatchObject({ 'num-other-sentinels': '2', ip: '10.0.0.1' })
  })

  // C takes it for 2^64 - 1, saves it and tells it on: no honest epoch can be higher.
  test('a negative epoch in a request is refused', () => {
    const stage = new SentinelStage()
    const question = ['SENTINEL', 'is-master-down-by-addr', '10.0.0.1', '6379', '-1', B]
    expect(stage.wire(question)).toBe('-ERR value is not an integer or out of range\r\n')
    expect(stage.saved).toMatchObject({ currentEpoch: 0, groups: [{ leaderEpoch: 0 }] })
  })

  test('a negative epoch in a hello makes all of it void', () => {
    const stage = new SentinelStage()
    stage.hello('peer1', { currentEpoch: -1, host: '10.1.0.7' })
    expect(stage.show('sentinels', 'peer1')?.runid).toBe(B)
    stage.hello('peer1', { configEpoch: -1, host: '10.1.0.7' })
    expect(stage.show('sentinels', 'peer1')?.runid).toBe(B)
  })

  test('a negative epoch in an answer makes all of it void', () => {
    const stage = new SentinelStage({ group: { quorum: 3 } })
    const negative = array([integer(1), bulk(B), integer(-1)])
    stage.part('peer1').says = ([verb]) => (verb === 'SENTINEL' ? negative : undefined)
    stage.kill('master')
    stage.run(3_000)
    expect(stage.times('+sdown master')).toHaveLength(1)
    expect(stage.show('sentinels', 'peer1')).toMatchObject({
      flags: 'sentinel',
      'voted-leader': '?',
    })
  })

  // C takes any name; a comma breaks the hello, and nobody ever meets a peer.
  test.each(['a,b', 'a b', ''])('a group cannot be named "%s"', (name) => {
    const stage = new SentinelStage()
    expect(stage.ask('SENTINEL', 'monitor', name, '10.0.0.9', '6379', '1').kind).toBe('error')
    expect(stage.saved.groups).toHaveLength(1)
  })

  // C then announces nothing at all where the address should be.
  test('announce-ip set to "" at run time announces our own end of the connection again', () => {
    const stage = new SentinelStage()
    stage.ask('SENTINEL', 'config', 'set', 'announce-ip', '192.0.2.7')
    stage.run(2_500)
    expect(lastHello(stage)[0]).toBe('192.0.2.7')
    expect(stage.wire(['SENTINEL', 'config', 'set', 'announce-ip', ''])).toBe('+OK\r\n')
    stage.run(2_500)
    expect(lastHello(stage)[0]).toBe('10.1.0.9')
  })

  test('the name of a replica stays as it was made, however hosts are announced later', () => {
    const stage = new SentinelStage({ resolveHostnames: true })
    stage.hosts.set('node4.example', '10.0.0.4')
    const replica = stage.add('replica3')
    replica.master = undefined
    stage.part('master').moreInfo.push('slave9:ip=node4.example,port=6379,state=online')
    stage.run(12_000)
    expect(stage.show('replicas', 'replica3')).toMatchObject({ name: '10.0.0.4:6379' })
    stage.ask('SENTINEL', 'config', 'set', 'announce-hostnames', 'yes')
    const shown = stage.wire(['SENTINEL', 'replicas', 'g'])
    expect(shown).toContain('$13\r\n10.0.0.4:6379\r\n$2\r\nip\r\n$13\r\nnode4.example\r\n')
  })
})
