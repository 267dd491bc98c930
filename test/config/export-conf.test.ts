import { describe, expect, test } from 'vitest'
import { exportConf } from '../../src/config/export-conf.ts'
import { parseSentinelConf } from '../../src/config/sentinel-conf.ts'
import { type SentinelFile, toSavedState } from '../../src/config/sentinel-file.ts'
import { COMMANDS } from '../../src/core/commands/table.ts'
import type { SavedState } from '../../src/core/persistence/saved.ts'
import { EXTRA_COMMANDS } from '../diff/sentinel/differences.ts'

const NOW_MS = 1_700_000_000_000
const MYID = 'a1'.repeat(20)
const PEER = 'b2'.repeat(20)

function read(text: string): SentinelFile {
  const parsed = parseSentinelConf(text, 's.conf')
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join('\n'))
  return parsed.value
}

function written(file: SentinelFile, saved?: SavedState): string {
  const exported = exportConf(file, saved, NOW_MS)
  if (!exported.ok) throw new Error(exported.obstacles.join('\n'))
  return exported.text
}

/** What a Sentinel of ours has saved: a failover to 10.0.0.2, options set at run time. */
function learnt(file: SentinelFile): SavedState {
  const [group] = file.core.groups
  if (group === undefined) throw new Error('no group')
  return {
    myid: MYID,
    currentEpoch: 9,
    groups: [
      {
        file: group,
        current: { ...group, host: '10.0.0.2', port: 6380, quorum: 3, authPass: 'new' },
        configEpoch: 8,
        leaderEpoch: 9,
        leader: PEER,
        replicas: [{ host: '10.0.0.1', port: 6379 }],
        peers: [{ runId: PEER, host: '10.0.0.11', port: 26_379 }],
      },
    ],
    removed: [],
    settings: undefined,
    users: undefined,
  }
}

const EVERYTHING = `port 26380
bind 127.0.0.1 -::1
protected-mode yes
dir /var/lib/redis
logfile "/var/log/a b.log"
loglevel verbose
maxclients 100
requirepass "a \\"quoted\\" pass"
user default on #${'0a'.repeat(32)} ~* &* +@all
user alice on >secret ~* +@all
acllog-max-len 7
rename-command shutdown ""
client-output-buffer-limit pubsub 67108864 8mb 60
tls-port 26381
tls-cert-file /etc/cert.pem
tls-protocols "TLSv1.2 TLSv1.3"
pidfile /run/s.pid
supervised systemd
sentinel deny-scripts-reconfig no
sentinel resolve-hostnames yes
sentinel announce-hostnames yes
sentinel monitor mymaster 10.0.0.1 6379 2
sentinel down-after-milliseconds mymaster 5000
sentinel failover-timeout mymaster 60000
sentinel parallel-syncs mymaster 2
sentinel auth-user mymaster bob
sentinel auth-pass mymaster old
sentinel notification-script mymaster /bin/true
sentinel client-reconfig-script mymaster /bin/false
sentinel rename-command mymaster config guessme
sentinel master-reboot-down-after-period mymaster 7000
sentinel announce-ip 10.0.0.9
sentinel announce-port 1234
sentinel sentinel-user u
sentinel sentinel-pass p
`

test('what is written says what the file says', () => {
  const file = read(EVERYTHING)
  const again = read(written(file))
  const comparable = ({ locations, learnt: _, name, ...rest }: SentinelFile) => rest
  expect(comparable(again)).toEqual(comparable(file))
})

test('and what was learnt since: address, options, others, epochs and who we are', () => {
  const file = read(EVERYTHING)
  const { core, learnt: memory } = read(written(file, learnt(file)))
  expect(core.groups[0]).toMatchObject({
    ...{ host: '10.0.0.2', port: 6380, quorum: 3, authPass: 'new', authUser: 'bob' },
  })
  const saved = toSavedState(memory ?? { myid: '', currentEpoch: 0, groups: [] }, () => 'none')
  expect(saved).toMatchObject({ myid: MYID, currentEpoch: 9 })
  expect(saved.groups[0]).toMatchObject({
    configEpoch: 8,
    leaderEpoch: 9,
    replicas: [{ host: '10.0.0.1', port: 6379 }],
    peers: [{ runId: PEER, host: '10.0.0.11', port: 26_379 }],
  })
})

test('what Redis had written into the file is not lost when there is no state yet', () => {
  const file = read(
    `sentinel monitor g 10.0.0.1 1 1\nsentinel myid ${MYID}\nsentinel current-epoch 4\n`,
  )
  expect(written(file)).toContain(`sentinel myid ${MYID}\n`)
  expect(written(file)).toContain('sentinel current-epoch 4\n')
})

describe('what redis-sentinel would refuse to start with', () => {
  const own = `sentinel monitor mymaster 10.0.0.1 6379 2
sentinel detection mymaster evidence
sentinel refused-after mymaster 100
sentinel gray-after mymaster 5000
`

  test('is left out, and said in a note where it makes a difference', () => {
    const exported = exportConf(read(own), undefined, NOW_MS)
    expect(exported).toMatchObject({
      notes: [
        'mymaster: redis-sentinel knows no detection by evidence: a master that died is recognised after 30000 ms of silence',
        'mymaster: redis-sentinel knows no gray-after: a master that says PONG and refuses writes stays the master',
      ],
    })
    expect(JSON.stringify(exported)).not.toMatch(/sentinel (detection|refused-after|gray-after)/)
  })

  test('is left out when it was set at run time, too', () => {
    const file = read('sentinel monitor mymaster 10.0.0.1 6379 2')
    const saved = learnt(file)
    const [group] = saved.groups
    if (group === undefined) throw new Error('no group')
    const current = { ...group.current, detection: 'evidence', refusedAfterMs: 9 } as const
    const exported = exportConf(file, { ...saved, groups: [{ ...group, current }] }, NOW_MS)
    expect(exported).toMatchObject({ notes: [expect.stringMatching('detection by evidence')] })
    expect(JSON.stringify(exported)).not.toMatch(/sentinel (detection|refused-after|gray-after)/)
  })

  test('needs no note where it changes nothing', () => {
    const text = 'sentinel monitor mymaster 10.0.0.1 6379 2\nsentinel refused-after mymaster 100\n'
    expect(exportConf(read(text), undefined, NOW_MS)).toMatchObject({ notes: [] })
  })
})

test('a group that was removed at run time stays away, one that was added is there', () => {
  const file = read(EVERYTHING)
  const saved = learnt(file)
  const [group] = saved.groups
  if (group === undefined) throw new Error('no group')
  const extra = { ...group, file: undefined, current: { ...group.current, name: 'extra' } }
  const text = written(file, { ...saved, groups: [extra], removed: file.core.groups })
  expect(text).toContain('sentinel monitor extra 10.0.0.2 6380 3\n')
  expect(text).not.toContain('mymaster')
})

test('a master the file names anew is no longer a replica', () => {
  const file = read('sentinel monitor mymaster 10.0.0.1 6379 2')
  const moved = read('sentinel monitor mymaster 10.0.0.7 6379 2')
  const saved = learnt(file)
  const [group] = saved.groups
  if (group === undefined) throw new Error('no group')
  const replicas = [...group.replicas, { host: '10.0.0.7', port: 6379 }]
  const text = written(moved, { ...saved, groups: [{ ...group, replicas }] })
  expect(text).toContain('sentinel monitor mymaster 10.0.0.7 6379 3\n')
  expect(text).not.toContain('known-replica mymaster 10.0.0.7')
})

test('rules for commands that redis-sentinel does not know are left out, and named: it would not start', () => {
  const users = ['+@all', '-sentinel|pause', '(+ping +Sentinel|Confer)', '(+quit)', '>+quit']
  const file = read('sentinel monitor mymaster 10.0.0.1 6379 2\n')
  const current = [['+quit', 'on', ...users]]
  const told = exportConf(file, { ...learnt(file), users: { file: [], current } }, NOW_MS)
  if (!told.ok) throw new Error(told.obstacles.join('\n'))
  const { text, notes } = told
  expect(text).toContain('user +quit on +@all (+ping) >+quit\n')
  expect(notes).toContain(
    'user +quit: without -sentinel|pause +Sentinel|Confer +quit, which redis-sentinel does not know',
  )
})

test('what redis-sentinel does not know is what the comparison with a real one has found', () => {
  const all = [...COMMANDS.values()].flatMap((one) => [one, ...one.subcommands.values()])
  const ours = all.filter(({ isOurs }) => isOurs).map(({ name }) => name)
  expect(ours.sort()).toEqual(Object.keys(EXTRA_COMMANDS).sort())
})

test('users and settings changed at run time are written instead of the ones of the file', () => {
  const file = read(EVERYTHING)
  const { announceIp, announcePort, resolveHostnames, announceHostnames } = file.core
  const { sentinelUser, sentinelPass, logLevel } = file.core
  const settings = {
    ...{ announceIp, announcePort, resolveHostnames, announceHostnames },
    ...{ sentinelUser, sentinelPass, logLevel },
  }
  const text = written(file, {
    ...learnt(file),
    settings: { file: settings, current: { ...settings, announcePort: 4321 } },
    users: { file: [], current: [['bob', 'on', 'nopass', '+@all']] },
  })
  expect(text).toContain('sentinel announce-port 4321\n')
  expect(text).toContain('user bob on nopass +@all\n')
  expect(text).not.toContain('alice')
})

describe('what Redis could not read again is refused, without showing it', () => {
  test.each([
    ['sentinel auth-pass mymaster "my secret"', 'auth-pass of mymaster'],
    ['sentinel auth-user mymaster "a\\tb"', 'auth-user of mymaster'],
    ['sentinel sentinel-pass "it\'s"', 'sentinel-pass'],
    ['sentinel rename-command mymaster config ""', 'rename-command of mymaster'],
    [
      'sentinel notification-script mymaster "/opt/my scripts/x"',
      'notification-script of mymaster',
    ],
  ])('%s', (line, start) => {
    const exported = exportConf(
      read(`sentinel monitor mymaster 10.0.0.1 1 1\n${line}`),
      undefined,
      NOW_MS,
    )
    expect(exported).toMatchObject({ ok: false, obstacles: [expect.stringMatching(`^${start}: `)] })
    expect(JSON.stringify(exported)).not.toContain('secret')
  })

  test('but not letters beyond ASCII, which Redis writes as they are', () => {
    const text =
      'sentinel monitor mymaster 10.0.0.1 1 1\nsentinel auth-pass mymaster \xc3\xa0\xa0\x85'
    expect(written(read(text))).toContain('sentinel auth-pass mymaster \xc3\xa0\xa0\x85\n')
  })
})

test('a pause that goes on is noted, because redis-sentinel will not wait for its end', () => {
  const file = read('sentinel monitor mymaster 10.0.0.1 6379 2')
  const saved = learnt(file)
  const [group] = saved.groups
  if (group === undefined) throw new Error('no group')
  const order = { number: 1, origin: MYID, by: 'ann@10.0.0.9', reason: 'caf\xc3\xa9' } as const
  const notesOf = (pause: NonNullable<typeof group.pause>) => {
    const exported = exportConf(file, { ...saved, groups: [{ ...group, pause }] }, NOW_MS)
    return exported.ok ? exported.notes.filter((note) => note.includes('pause')) : []
  }
  const going = { ...order, kind: 'pause', leftMs: 90_000, endsAtWallMs: NOW_MS + 90_000 } as const
  expect(notesOf(going)).toEqual([
    'mymaster: redis-sentinel knows no pause: ann@10.0.0.9 has paused failovers for another 90 s (café), and it will not wait for that',
  ])
  expect(notesOf({ ...going, endsAtWallMs: NOW_MS - 1 })).toEqual([])
  expect(notesOf({ ...going, kind: 'resume', leftMs: 0, endsAtWallMs: NOW_MS })).toEqual([])
})
