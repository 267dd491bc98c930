/** `vedette plan`, and orders, where ACLs refuse what they, or the handover that is planned, take. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  freePorts,
  HAS_REDIS_CLI,
  node,
  type Program,
  sentinel,
  stopAll,
  until,
  vedette,
} from '../support/processes.ts'
import { scratchFolder } from '../support/scratch.ts'

/** docs/users.md: what a Sentinel needs, without the rights for a coordinated failover. */
const WATCHER =
  'user watcher on >secret resetchannels &__sentinel__:hello -@all +ping +info +publish +subscribe ' +
  '+client|setname +client|kill +multi +exec +slaveof +config|rewrite +script|kill'
const SOME = 'user some on >some -@all +ping +info +client|list +acl|dryrun'
const LOOK =
  'look on >look -@all +info +sentinel|myid +sentinel|masters +sentinel|slaves +sentinel|sentinels ' +
  '+sentinel|get-master-addr-by-name +sentinel|ckquorum +sentinel|info-cache'

describe.skipIf(!HAS_REDIS_CLI)('(needs redis-cli)', () => {
  const folder = scratchFolder('plan-rights')
  const programs: Program[] = []
  let master = 0
  let replica = 0
  let address = ''

  beforeAll(async () => {
    const ports = (await freePorts(3)) as [number, number, number]
    master = ports[0]
    replica = ports[1]
    address = `127.0.0.1:${ports[2]}`
    const users = [
      'user default on nopass ~* &* +@all',
      WATCHER,
      'user ops on >ops -@all +ping',
      SOME,
    ]
    const login = ['auth-user: watcher', 'auth-pass: secret']
    const watch = {
      master,
      quorum: 1,
      lines: ['users:', `- ${LOOK}`, `- less on >less -@all +ping`, ...defaults(login)],
    }
    programs.push(
      node(folder, master, users),
      node(folder, replica, [...users, `replicaof 127.0.0.1 ${master}`]),
      sentinel(folder, ports[2], watch),
    )
    for (const one of programs) one.start()
    await until('the plan knows the replica', 20_000, async () => {
      return (await planned()).includes(`127.0.0.1:${replica}`)
    })
  })
  afterAll(() => stopAll(folder, programs))

  /** Options of every group. */
  function defaults(lines: readonly string[]): string[] {
    return ['defaults:', ...lines.map((line) => `  ${line}`)]
  }

  async function planned(...words: readonly string[]): Promise<string> {
    const { stdout, stderr } = await vedette(
      ...['plan', 'switchover', 'mymaster', '--sentinel', address, ...words],
    )
    return stdout + stderr
  }

  test('names what the nodes would refuse the Sentinels, on which node, and how to grant it', async () => {
    const text = await planned()
    for (const port of [master, replica]) {
      expect(text).toContain(
        `not now: 127.0.0.1:${port} does not let the Sentinels, as the user watcher, run FAILOVER, CLIENT PAUSE, ` +
          'CLIENT UNPAUSE: grant it there with ACL SETUSER watcher +failover +client|pause +client|unpause',
      )
    }
  })

  test('a handover that the master refuses says where the reason is, and what tests the rights', async () => {
    const order = ['failover', 'mymaster', '--coordinated', '--wait', '--sentinel', address]
    const { status, stderr } = await vedette(...order)
    expect(status).toBe(1)
    expect(stderr).toMatch(/^vedette: after \d+ ms the failover of mymaster was given up$/m)
    expect(stderr).toContain(
      'the log of the Sentinel that was asked says why; `vedette plan switchover mymaster` tests the rights',
    )
  })

  test('names what a Sentinel refuses the user of the plan', async () => {
    expect(await planned('--user', 'look', '--pass', 'look')).toContain(
      `not now: the Sentinel ${address} does not say what a handover would do: NOPERM this user has no ` +
        `permissions to run the 'sentinel|failover' command; grant it there with ACL SETUSER look +sentinel|failover`,
    )
    expect(await planned('--user', 'less', '--pass', 'less')).toMatch(
      /refuses: NOPERM .*; grant it there with ACL SETUSER less \+sentinel\|myid/,
    )
  })

  test.each([
    [['failover', 'mymaster'], 'failover'],
    [['pause', 'mymaster', '--for', '5s'], 'pause'],
    [['resume', 'mymaster'], 'resume'],
    [['forget', 'mymaster', '127.0.0.1:1'], 'forget'],
    [['epochs'], 'epochs'],
  ])('%j that a Sentinel refuses for want of a right names the rule', async (words, right) => {
    const login = ['--user', 'look', '--pass', 'look', '--sentinel', address]
    const { stderr } = await vedette(...words, ...login)
    expect(stderr).toContain(`grant it there with ACL SETUSER look +sentinel|${right}`)
    expect(stderr).not.toContain('the log of the Sentinel')
  })

  test('says of a node that does not let it ask that the rights there are not known', async () => {
    expect(await planned('--node-user', 'ops', '--node-pass', 'ops')).toContain(
      `! whether the Sentinels have the rights for it on 127.0.0.1:${master} is not known: NOPERM this user has no ` +
        `permissions to run the 'client|list' command; grant it there with ACL SETUSER ops +client|list`,
    )
  })

  test('says of a node that does not tell min-replicas-to-write that this is not known', async () => {
    const text = await planned('--node-user', 'some', '--node-pass', 'some')
    for (const port of [master, replica]) {
      expect(text).toContain(
        `! whether 127.0.0.1:${port} would refuse writes with too few replicas is not known, because ` +
          'min-replicas-to-write cannot be read there: NOPERM this user has no permissions to run the ' +
          "'config|get' command; grant it there with ACL SETUSER some +config|get",
      )
    }
    expect(await planned()).not.toContain('min-replicas-to-write cannot be read')
  })
})
