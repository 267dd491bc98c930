/** Scenario files on a cluster that a test has started. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Cluster, startCluster } from '../../src/exports/testing.ts'
import { scratchFolder } from '../support/scratch.ts'

const folder = scratchFolder('testing-scenario')

const shipped = (name: string) => new URL(`../../scenarios/${name}.yml`, import.meta.url)

/** Three nodes and three Sentinels on three hosts, and a client that writes from its own. */
function written(body: string, client = 'app: { host: d, rate: 50 }'): string {
  const path = join(folder, 'own.yml')
  const text = `
name: a file of a test
story: It is played on a cluster.
topology:
  groups: { mymaster: { master: n1, quorum: 2 } }
  nodes: { n1: { host: a }, n2: { host: b, replica-of: n1 }, n3: { host: c, replica-of: n1 } }
  sentinels: { s1: { host: a }, s2: { host: b }, s3: { host: c } }
workload: { clients: { ${client} } }
${body}`
  writeFileSync(path, text)
  return path
}

async function withCluster(play: (cluster: Cluster) => Promise<void>): Promise<void> {
  const cluster = await startCluster({ clock: 'manual', downAfterMs: 250, seed: 'scenario' })
  try {
    await play(cluster)
  } finally {
    await cluster.stop()
  }
}

test('a scenario passes on a cluster, and begins with its own master when it is played again', async () => {
  const file = written(`
timeline:
  - { at: 500ms, as: kill, kill: the-master }
  - { after: { converged: true }, within: 2s, as: return, restart: n1 }
expect:
  - { never: true, event: { name: +try-failover }, until: kill }
  - { master: { not: n1 }, after: kill, within: 1s }
  - { writes-work: true, after: kill, within: 1s }
  - { lost-writes: { at-most: 0 } }
  - { failovers: { at-least: 1, at-most: 1 } }
  - { replica: { node: n1, of: master }, after: return, within: 1s }
`)
  await withCluster(async (cluster) => {
    const { report, labels } = await cluster.scenario(file)
    expect(report).toMatch(/^PASSED {2}a file of a test/)
    expect([...labels.keys()]).toEqual(['kill', 'return'])
    await cluster.reset()
    expect(cluster.master.name).not.toBe('n1')
    const { report: second } = await cluster.scenario(file)
    expect(second).toMatch(/^PASSED/)
  })
})

test('writes that a cut-off master acknowledged are counted as lost by split brain', async () => {
  const file = written(`
timeline:
  - { at: 500ms, as: cut, partition: [[a, d]] }
  - { at: 3s, as: heal, heal: true }
expect:
  - { master: { not: n1 }, according-to: [s2, s3], after: cut, within: 2s }
  - { lost-writes: { at-most: 1000, cause: split-brain } }
  - { replica: { node: n1, of: master }, after: heal, within: 1s }
  - { settled: { within: 2s } }
`)
  await withCluster(async (cluster) => {
    const { report } = await cluster.scenario(file)
    const [, lost] = /(\d+) lost/.exec(report) ?? []
    expect(Number(lost)).toBeGreaterThan(10)
  })
})

test('what does not hold is thrown as the report, and the clients stop', async () => {
  const file = written(`
timeline: [{ at: 200ms, kill: n1 }]
expect: [{ master: n1, always: true }]
`)
  await withCluster(async (cluster) => {
    await expect(cluster.scenario(file)).rejects.toThrow(
      /^FAILED[\s\S]* s of cluster time[\s\S]*✗ [\s\S]*n1/,
    )
    await cluster.reset()
    expect(cluster.master.name).not.toBe('n1')
  })
})

test('a scenario that fails says why, in names and in whole milliseconds', async () => {
  const file = written(`
timeline: [{ at: 200ms, kill: n1 }]
expect: [{ outage: { at-most: 1ms } }]
`)
  await withCluster(async (cluster) => {
    await cluster.advance(123.4567)
    const report = await cluster.scenario(file).then(
      () => '',
      ({ message }: Error) => message,
    )
    expect(report).toMatch(/What broke: kill n1\. .*\n.*because its host had\s+refused/)
    expect(report).toMatch(/ is elected after \d+ ms, with\s+the\s+votes\s+of\s+s\d,?\s/)
    expect(report).toMatch(/\+vote-for-leader s\d 1$/m)
    expect(report).not.toMatch(/[0-9a-f]{40}|\d\.\d{4}/)
  })
})

test('a command of a timeline reaches its process', async () => {
  const file = written(`
timeline: [{ at: 200ms, command: { to: s1, argv: [SENTINEL, FAILOVER, mymaster] } }]
expect: [{ failovers: { at-least: 1, at-most: 1 } }, { master: { not: n1 }, after: 200ms, within: 1s }]
`)
  await withCluster(async (cluster) => void (await cluster.scenario(file)))
})

test('a file that does not fit is refused in words, and nothing is done', async () => {
  await withCluster(async (cluster) => {
    await expect(cluster.scenario(shipped('08-four-sentinels-cut-in-half'))).rejects.toThrow(
      "its Sentinels are s1 s2 s3 s4, the cluster's are s1 s2 s3",
    )
    await expect(
      cluster.scenario(shipped('09-isolated-master-without-min-replicas')),
    ).rejects.toThrow('all clients stand on one host')
    await expect(cluster.scenario(shipped('80-strict-kill-of-the-master'))).rejects.toThrow(
      'mymaster: replication is nothing that a cluster knows; see runScenario',
    )
    await expect(cluster.scenario(shipped('53-a-hook-is-asked-first'))).rejects.toThrow(
      'mymaster: pre-failover-hook is nothing that',
    )
    const skewed = written(`
timeline: [{ at: 1s, clock-drift: { process: s1, rate: 1.1 } }]
expect: [{ master: n1, always: true }]
`)
    await expect(cluster.scenario(skewed)).rejects.toThrow('clock-drift cannot be done')
    const wrong = written(
      'timeline: [{ at: 1s, kill: n9 }]\nexpect: [{ master: n1, always: true }]',
    )
    await expect(cluster.scenario(wrong)).rejects.toThrow(/own\.yml:\d+: .*n9/)
    for (const own of ['wait: 1', 'manner: ioredis', 'half-closes: true']) {
      const strange = written(
        `timeline: []\nexpect: [{ master: n1, always: true }]`,
        `app: { host: d, ${own} }`,
      )
      await expect(cluster.scenario(strange)).rejects.toThrow('app: a client writes keys')
    }
    expect(cluster.history.map(({ name }) => name)).toEqual(Array(3).fill('+monitor'))
  })
})
