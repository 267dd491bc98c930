/**
 * `vedette check --deep` before a fleet goes live: TLS everywhere, a node that hangs, and Sentinels of both
 * makes whose settings differ.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Certificates, HAS_OPENSSL, type Pair } from '../support/certificates.ts'
import { cli, HAS_REDIS, MAIN, type RealCluster, run, startCluster } from '../support/processes.ts'
import { startTlsCluster, type TlsCluster } from '../support/tls-cluster.ts'

async function deep(path: string, ...argv: string[]) {
  const startedMs = performance.now()
  const outcome = await run(process.execPath, [MAIN, 'check', '--deep', path, '--json', ...argv])
  const tookMs = performance.now() - startedMs
  const { findings } = JSON.parse(outcome.stdout) as {
    findings: { severity: string; where: string; text: string; hint: string }[]
  }
  const unwell = findings.filter(({ severity }) => severity !== 'passed')
  const lines = unwell.map(({ severity, where, text }) => `${severity} ${where}: ${text}`)
  return { status: outcome.status, lines, findings, tookMs }
}

describe.skipIf(!HAS_REDIS)(
  'a fleet of both makes (need redis-server, redis-sentinel, redis-cli)',
  () => {
    let cluster: RealCluster
    beforeAll(async () => {
      cluster = await startCluster({
        ...{ realSentinels: 1, hasRealNodes: true, downAfterMs: 2_500 },
        nodeLines: ['min-replicas-to-write 1', 'appendonly yes'],
      })
    })
    afterAll(() => cluster.stop())
    const file = () => join(cluster.sentinels[0]?.folder ?? '', 'sentinel.yml')

    test('a sound one has nothing to mend, only that all of it is on one machine', async () => {
      const { status, lines } = await deep(file())
      expect(lines).toEqual([
        expect.stringContaining(
          'all Sentinels are on 127.0.0.1, where the master of mymaster runs',
        ),
      ])
      expect(status).toBe(1)
    })

    test('a setting that was changed on one Sentinel and a replica that lags behind in settings', async () => {
      const [, , redis] = cluster.sentinels
      const [, replica] = cluster.nodes
      cli(redis?.port ?? 0, 'SENTINEL', 'SET', 'mymaster', 'quorum', '3')
      cli(replica?.port ?? 0, 'CONFIG', 'SET', 'maxmemory', '100mb')
      const { lines } = await deep(file())
      expect(lines).toContainEqual(
        expect.stringMatching(new RegExp(`quorum differs: 2 on .*; 3 on 127.0.0.1:${redis?.port}`)),
      )
      expect(lines).toContainEqual(expect.stringContaining('maxmemory differs'))
      cli(redis?.port ?? 0, 'SENTINEL', 'SET', 'mymaster', 'quorum', '2')
      cli(replica?.port ?? 0, 'CONFIG', 'SET', 'maxmemory', '0')
    })

    test('a node that hangs does not hold it up for longer than the time given', async () => {
      const [, , hanging] = cluster.nodes
      hanging?.signal('SIGSTOP')
      const { status, lines, tookMs } = await deep(file(), '--timeout', '1500ms')
      hanging?.signal('SIGCONT')
      expect(lines).toContainEqual(expect.stringContaining('the time was over'))
      expect(status).toBe(1)
      expect(tookMs).toBeLessThan(5_000)
    })

    test("a node's own file: its master is asked as the replication asks", async () => {
      const [, replica] = cluster.nodes
      const { lines, findings } = await deep(join(replica?.folder ?? '', 'redis.conf'))
      expect(lines).toEqual([])
      expect(findings.map(({ where, text }) => `${where}: ${text}`)).toContainEqual(
        expect.stringContaining(`master 127.0.0.1:${cluster.nodes[0]?.port}: reached`),
      )
    })
  },
)

describe.skipIf(!HAS_REDIS || !HAS_OPENSSL)('with TLS (need openssl and redis-cli)', () => {
  const certificates = new Certificates()
  let cluster: TlsCluster
  let authority: Pair
  let own: Pair
  beforeAll(async () => {
    authority = certificates.authority('ca')
    own = certificates.issue(authority, 'node', { days: 90 })
    const identity = { own, authority }
    cluster = await startTlsCluster(
      certificates.folder,
      identity,
      ['ours', 'real'],
      ['ours', 'ours'],
    )
  })
  afterAll(async () => {
    await cluster.stop()
    certificates.remove()
  })
  const file = () => join(cluster.sentinels[0]?.folder ?? '', 'sentinel.conf')
  const changed = (...changes: readonly (readonly [string, string])[]) => {
    const text = changes.reduce(
      (all, [from, to]) => all.replace(from, to),
      readFileSync(file(), 'utf8'),
    )
    const path = `${file()}.changed-sentinel.conf`
    writeFileSync(path, text)
    return path
  }

  test('everything is reached with the configured certificates, which are told', async () => {
    const { lines, findings } = await deep(file())
    const texts = findings.map(({ text }) => text)
    expect(texts.filter((text) => text.startsWith('reached'))).toHaveLength(4)
    expect(texts).toContainEqual(expect.stringMatching(/^reached \(vedette \d/))
    expect(lines.filter((line) => line.startsWith('problem'))).toEqual([])
    // The certificate is made out to a name, and Sentinels are known by address.
    expect(lines).toContainEqual(expect.stringContaining('its certificate names only CN=node'))
  })

  test('without tls-replication the port that speaks TLS is named', async () => {
    const { status, lines } = await deep(changed(['tls-replication yes', 'tls-replication no']))
    expect(lines).toContainEqual(
      expect.stringContaining('this port speaks TLS, and TLS is not configured for it'),
    )
    expect(status).toBe(2)
  })

  test('an authority that signed nothing here is named, and so is a missing certificate', async () => {
    const other = certificates.authority('other')
    const strange = await deep(changed([authority.cert, other.cert]))
    expect(strange.lines).toContainEqual(
      expect.stringContaining('no authority of tls-ca-cert-file has signed its certificate'),
    )
    const missing = await deep(changed([own.cert, `${own.cert}.nope`]))
    expect(missing.status).toBe(2)
    expect(missing.lines).toContainEqual(expect.stringContaining('there is no such file'))
    expect(missing.lines).toContainEqual(expect.stringContaining('nothing was asked'))
  })
})
