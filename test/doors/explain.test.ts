/** `vedette explain` and `vedette plan` on real processes: what they foretell is then done, and comes true. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  agreedMaster,
  HAS_REDIS_CLI,
  type Program,
  type RealCluster,
  startCluster,
  until,
  vedette,
} from '../support/processes.ts'

describe.skipIf(!HAS_REDIS_CLI)('a group with an uneven future (need redis-cli)', () => {
  let cluster: RealCluster
  let address = ''

  beforeAll(async () => {
    cluster = await startCluster({ downAfterMs: 1_000, failoverTimeoutMs: 10_000 })
    address = `127.0.0.1:${cluster.sentinels[0]?.port}`
  }, 60_000)
  afterAll(() => cluster.stop())

  async function explained(...argv: readonly string[]) {
    const outcome = await vedette('explain', 'mymaster', '--sentinel', address, '--json', ...argv)
    return { status: outcome.status, ...JSON.parse(outcome.stdout) }
  }

  test('is foretold who leads and who is promoted, and so it happens when the master is killed', async () => {
    const [master] = cluster.nodes as [Program]
    // Hellos are replicated all the time: with other offsets the Sentinels only have an older answer of one replica.
    const told = await until(
      'both replicas are as far, and the run id decides',
      30_000,
      async () => {
        const said = await explained()
        const isLevel = said.others?.every(({ reason }: { reason: string }) =>
          /run id/.test(reason),
        )
        return said.loss?.behindBytes !== null && isLevel && said
      },
    )
    expect(told).toMatchObject({ status: 0, outcome: 'switches', agree: { count: 3, needed: 2 } })
    expect(told.nodes[told.master]).toMatchObject({ minReplicasToWrite: 0 })
    await master.kill()
    const port = await agreedMaster(cluster)
    expect(`127.0.0.1:${port}`).toBe(told.promoted)
    const leaders = cluster.sentinels.filter((one) => one.log().includes('+elected-leader'))
    expect(leaders.map((one) => `127.0.0.1:${one.port}`)).toEqual([told.leader])
  }, 60_000)

  test('is told that without two of its Sentinels it has no future', async () => {
    const [, second, third] = cluster.sentinels as [Program, Program, Program]
    const others = [second, third].flatMap(({ port }) => ['--lose', `127.0.0.1:${port}`])
    const { master } = await explained()
    const told = await explained(...others, '--lose', master)
    expect(told).toMatchObject({ status: 1, outcome: 'stuck', promoted: null })
    expect(told.obstacles).toContain('one Sentinel could vote, and a leader needs 2 of 3')
  })

  test('is switched over as planned, by the command in the plan', async () => {
    const [dead] = cluster.nodes as [Program]
    dead.start()
    const plan = await until('the plan is possible', 20_000, async () => {
      const { stdout, status } = await vedette(
        ...['plan', 'switchover', 'mymaster', '--sentinel', address, '--json'],
        ...['--to', `127.0.0.1:${dead.port}`],
      )
      return status === 0 && JSON.parse(stdout)
    })
    const { command } = plan.steps.find(({ command }: { command: string }) =>
      command.includes('--coordinated'),
    )
    const [, ...words] = command.split(' ')
    expect(await vedette(...words, '--sentinel', address)).toMatchObject({ status: 0 })
    expect(await explained()).toMatchObject({ status: 0, master: `127.0.0.1:${dead.port}` })
  }, 60_000)

  test('says what it does not know', async () => {
    const nowhere = await vedette(
      'explain',
      'mymaster',
      '--sentinel',
      address,
      '--lose',
      '10.9.9.9',
    )
    expect(nowhere.status).toBe(2)
    expect(nowhere.stderr).toContain(`nothing of mymaster runs at '10.9.9.9'`)
    const nothing = await vedette('plan', 'upgrade', 'yours', '--sentinel', address)
    expect(nothing.status).toBe(2)
    expect(nothing.stderr).toContain(
      `no Sentinel that answers watches 'yours'; they watch mymaster`,
    )
    const nobody = await vedette(
      ...['plan', 'remove-sentinel', 'mymaster', '127.0.0.1:1', '--sentinel', address],
    )
    expect(nobody.status).toBe(2)
    expect(nobody.stderr).toContain('no Sentinel of mymaster is known at this address')
    const silent = await vedette('explain', 'mymaster', '--sentinel', '127.0.0.1:1')
    expect(silent.status).toBe(4)
    const links = await vedette('explain', 'mymaster', '--cut', '10.0.0.1')
    expect(links.status).toBe(2)
    expect(links.stderr).toContain('expected two different hosts')
  })
})
