/** POST /failover and /switchover to a Sentinel of a real cluster: `dryRun`, `to` and `leader`, as docs/http.md has them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  agreedMaster,
  follows,
  freePorts,
  HAS_REDIS_CLI,
  masterPort,
  type Program,
  type RealCluster,
  startCluster,
  until,
} from '../support/processes.ts'

const TOKEN = 'a-token-of-32-characters-0123456'

describe.skipIf(!HAS_REDIS_CLI)('(need redis-cli)', () => {
  let cluster: RealCluster
  let http = 0
  let nodePorts: readonly number[] = []

  beforeAll(async () => {
    const httpPorts = await freePorts(6)
    http = httpPorts[3] ?? 0
    nodePorts = httpPorts.slice(0, 3)
    cluster = await startCluster({ httpPorts, sentinelLines: [`http-token: ${TOKEN}`] })
  })
  afterAll(async () => await cluster?.stop())

  async function post(path: string, body: object) {
    const reply = await fetch(`http://127.0.0.1:${http}${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${TOKEN}` },
      body: JSON.stringify(body),
    })
    return { status: reply.status, body: (await reply.json()) as { text: string; reply: unknown } }
  }

  const place = ({ port }: Program) => `127.0.0.1:${port}`

  test('a dry run says which replica would be promoted, and changes nothing', async () => {
    const [master, , last] = cluster.nodes as [Program, Program, Program]
    for (const path of ['/failover', '/switchover']) {
      const { status, body } = await post(path, { to: place(last), dryRun: true })
      expect([path, status]).toEqual([path, 200])
      expect(body.reply).toMatchObject({
        ...{ possible: 'yes', from: place(master), to: place(last) },
        replicas: [{ address: place(last), part: 'promoted' }, { part: 'spare' }],
      })
      expect(body.text).toContain(`${place(last)} would become the master`)
    }
    // A real order is refused while another is under way: so none is.
    const again = await post('/failover', { dryRun: true, to: place(last) })
    expect(again.status).toBe(200)
    expect(cluster.sentinels.map(masterPort)).toEqual([master.port, master.port, master.port])
  })

  test('what cannot be done is refused in a dry run as well, in the words of the Sentinel', async () => {
    const [master] = cluster.nodes as [Program]
    const named = await post('/failover', { to: '127.0.0.1:1', dryRun: true })
    expect(named).toMatchObject({
      status: 409,
      body: {
        text: expect.stringContaining('NOGOODSLAVE 127.0.0.1:1 cannot be promoted'),
        reply: { possible: 'no', to: '', steps: [] },
      },
    })
    const stale = await post('/switchover', { leader: '127.0.0.1:1', dryRun: true })
    const text = `leader 127.0.0.1:1 is not the master at present: ${place(master)} is`
    expect([stale.status, stale.body.text]).toEqual([409, text])
    expect(masterPort(cluster.sentinels[0] as Program)).toBe(master.port)
  })

  test('the replica that is named becomes the master, in a handover and in a failover', async () => {
    const [master, second, last] = cluster.nodes as [Program, Program, Program]
    const handed = await post('/switchover', { to: place(last), leader: place(master) })
    expect(handed).toMatchObject({ status: 200, body: { ok: true } })
    expect(await agreedMaster(cluster, master.port, 30_000)).toBe(last.port)
    for (const one of [master, second]) {
      await until(`${one.port} follows`, 30_000, () => follows(one, last.port))
    }
    // The Sentinel must have seen all of that before it takes the next order.
    const forced = await until('the order is taken', 30_000, async () => {
      const answer = await post('/failover', { candidate: place(second) })
      if (answer.status === 409) return false
      return answer
    })
    expect(forced.status).toBe(200)
    expect(await agreedMaster(cluster, last.port, 30_000)).toBe(second.port)
  })

  test('a master that hears nothing of its Sentinels stops calling itself primary', async () => {
    const primary = async () => {
      const asked = nodePorts.map((port) => fetch(`http://127.0.0.1:${port}/primary`))
      return (await Promise.all(asked)).map(({ status }) => status)
    }
    await until('the second node is the primary, and it alone', 30_000, async () => {
      return (await primary()).join(' ') === '503 200 503'
    })
    // As long as they speak it stays one: a no cuts off every client of the load balancer.
    let yes = 0
    for (let at = 0; at < 30; at++) {
      const said = await primary()
      expect(said).not.toEqual([200, 200, 200])
      if (said[1] === 200) yes++
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    // All of them, but for a machine that lets no Sentinel run for most of a second.
    expect(yes).toBeGreaterThan(15)
    const frozenAtMs = performance.now()
    for (const one of cluster.sentinels) one.signal('SIGSTOP')
    await until('no node is primary', 20_000, async () => !(await primary()).includes(200))
    console.log(
      `no later than ${Math.round(performance.now() - frozenAtMs)} ms after the Sentinels`,
    )
    for (const one of cluster.sentinels) one.signal('SIGCONT')
    await until('there is a primary again', 30_000, async () => (await primary()).includes(200))
  })
})
