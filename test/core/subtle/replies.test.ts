/**
 * Facts about Sentinel, section 15: the types of replies, and what is shown, changed and told. Where we
 * differ on purpose the test says what we do, and a line above it what C Sentinel does.
 */
import { describe, expect, test } from 'vitest'
import type { Reply } from '../../../src/resp/reply.ts'
import { SentinelStage } from '../../support/sentinel-stage.ts'

/** The kinds of all values in a map. */
function kindsIn(reply: Reply): ReadonlySet<string> {
  if (reply.kind !== 'map') throw new Error(`no map but ${reply.kind}`)
  return new Set(reply.entries.flatMap(([key, value]) => [key.kind, value.kind]))
}

describe('15.25', () => {
  test('15.25 every value of an instance map is a bulk string, numbers included', () => {
    const stage = new SentinelStage()
    expect(kindsIn(stage.ask('SENTINEL', 'master', 'g'))).toEqual(new Set(['bulk']))
    for (const list of ['masters', 'replicas', 'sentinels']) {
      const reply = stage.ask('SENTINEL', list, ...(list === 'masters' ? [] : ['g']))
      const maps = reply.kind === 'array' ? reply.items : []
      expect(maps.length).toBeGreaterThan(0)
      for (const map of maps) expect(kindsIn(map)).toEqual(new Set(['bulk']))
    }
  })

  test('15.25 so is every value of DEBUG and CONFIG GET', () => {
    const stage = new SentinelStage()
    expect(kindsIn(stage.ask('SENTINEL', 'debug'))).toEqual(new Set(['bulk']))
    expect(kindsIn(stage.ask('SENTINEL', 'config', 'get', '*'))).toEqual(new Set(['bulk']))
    expect(stage.wire(['SENTINEL', 'config', 'get', 'announce-port'])).toBe(
      '*2\r\n$13\r\nannounce-port\r\n$1\r\n0\r\n',
    )
  })

  test('15.25 IS-MASTER-DOWN gives integers', () => {
    const stage = new SentinelStage()
    const question = ['SENTINEL', 'is-master-down-by-addr', '10.0.0.1', '6379', '0', '*']
    expect(stage.wire(question)).toBe('*3\r\n:0\r\n$1\r\n*\r\n:0\r\n')
    expect(stage.wire(['SENTINEL', 'reset', 'nothing-like-it'])).toBe(':0\r\n')
  })

  test('15.25 INFO-CACHE gives ages as integers', () => {
    const stage = new SentinelStage({ replicas: 0, peers: 0 })
    stage.part('master').lessInfo.push('master_replid', 'master_replid2')
    stage.run(1_000)
    const text = `run_id:${'1'.repeat(40)}\r\nrole:master\r\n`
    const inner = `\\*2\r\n:(\\d+)\r\n\\$${text.length}\r\n${text}`
    const whole = new RegExp(`^\\*2\r\n\\$1\r\ng\r\n\\*1\r\n${inner}\r\n$`)
    expect(stage.wire(['SENTINEL', 'info-cache', 'g', 'nobody'])).toMatch(whole)
  })

  test('15.25 the lines of HELP are simple strings', () => {
    const reply = new SentinelStage().ask('SENTINEL', 'help')
    const kinds = reply.kind === 'array' ? reply.items.map(({ kind }) => kind) : []
    expect(kinds.length).toBeGreaterThan(40)
    expect(new Set(kinds)).toEqual(new Set(['simple']))
  })

  test('15.25 INFO is a plain bulk string in RESP3 as well', () => {
    const stage = new SentinelStage()
    expect(stage.wire(['INFO', 'sentinel'], 3)).toMatch(/^\$\d+\r\n# Sentinel\r\n/)
  })

  test('15.25 an unknown group is a null array for GET-MASTER-ADDR-BY-NAME, an error elsewhere', () => {
    const stage = new SentinelStage()
    const address = ['SENTINEL', 'get-master-addr-by-name', 'nobody']
    expect(stage.wire(address)).toBe('*-1\r\n')
    expect(stage.wire(address, 3)).toBe('_\r\n')
    for (const verb of ['master', 'replicas', 'sentinels', 'failover', 'ckquorum', 'remove']) {
      expect(stage.wire(['SENTINEL', verb, 'nobody'])).toBe(
        '-ERR No such master with that name\r\n',
      )
    }
  })
})

describe('further traps: what is shown, changed and told', () => {
  test('a replica whose INFO has no role line is shown as slave', () => {
    const stage = new SentinelStage()
    stage.part('replica1').lessInfo.push('role')
    stage.run(11_000)
    expect(stage.show('replicas', 'replica1')?.['role-reported']).toBe('slave')
  })

  test('a master whose INFO has no role line is shown as slave', () => {
    const stage = new SentinelStage()
    stage.part('master').lessInfo.push('role')
    stage.run(11_000)
    expect(stage.times('-role-change master g')).toHaveLength(1)
    expect(stage.show('master')?.['role-reported']).toBe('slave')
  })

  // Seen with redis-sentinel 7.0.15: its flags stay `master`. Here it counts as a master that says it is a
  // replica; `roleReported` (src/core/discovery/info-reply.ts) would have to keep "none" apart from `slave`.
  test('a master whose INFO has no role line is not down for it', () => {
    const stage = new SentinelStage()
    stage.part('master').lessInfo.push('role')
    stage.run(60_000)
    expect(stage.times('+sdown master')).toEqual([])
  })

  test('a replica that does not want to be announced is hidden, but counted', () => {
    const stage = new SentinelStage()
    stage.part('replica1').moreInfo.push('replica_announced:0')
    stage.run(11_000)
    expect(stage.show('replicas', 'replica1')).toBe(undefined)
    expect(stage.show('replicas', 'replica2')?.name).toBe('10.0.0.3:6379')
    expect(stage.show('master')?.['num-slaves']).toBe('2')
    expect(stage.wire(['INFO', 'sentinel'])).toContain(',slaves=2,sentinels=3')
  })

  test('a replica that does not want to be announced can be promoted', () => {
    const stage = new SentinelStage()
    stage.part('replica1').moreInfo.push('replica_announced:0')
    stage.part('replica1').offset = 200
    stage.run(11_000)
    stage.ask('SENTINEL', 'failover', 'g')
    stage.until('+switch-master g 10.0.0.1 6379 10.0.0.2 6379')
  })

  test('SENTINEL SET is not atomic: what stands before a mistake stays, and is saved', () => {
    const stage = new SentinelStage()
    const words = ['quorum', '5', 'down-after-milliseconds', 'soon', 'parallel-syncs', '9']
    expect(stage.wire(['SENTINEL', 'set', 'g', ...words])).toBe(
      "-ERR Invalid argument 'soon' for SENTINEL SET 'down-after-milliseconds'\r\n",
    )
    const shown = { quorum: '5', 'parallel-syncs': '1', 'down-after-milliseconds': '1000' }
    expect(stage.show('master')).toMatchObject(shown)
    expect(stage.saved.groups[0]?.current.quorum).toBe(5)
    expect(stage.times('+set')).toHaveLength(1)
  })

  test('+tilt and -tilt run no notification script', () => {
    const stage = new SentinelStage({ group: { notificationScript: '/bin/notify' } })
    stage.run(100)
    stage.forget()
    stage.stall(5_000)
    stage.run(31_000)
    expect([stage.times('+tilt'), stage.times('-tilt')].flat()).toHaveLength(2)
    const told = stage.scripts.map(({ argv }) => argv[1])
    expect(told).not.toContain('+tilt')
    expect(told).not.toContain('-tilt')
  })

  test('-script-error runs no notification script, or a broken one would never rest', () => {
    const stage = new SentinelStage({ group: { notificationScript: '/bin/notify' } })
    stage.scriptStatus = 2
    stage.forget()
    stage.kill('master')
    stage.run(1_500)
    const told = stage.scripts.map(({ argv }) => argv[1])
    expect(told).toEqual(['+sdown'])
    expect(stage.times('-script-error')).toHaveLength(1)
  })
})
