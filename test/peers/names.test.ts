/**
 * Names in a group of ours and Redis' own: where all call the machines by name, and where each kind calls
 * them otherwise. A vote or a hello that is taken for another machine's would show: nothing would be agreed.
 */
import { networkInterfaces } from 'node:os'
import { describe, expect, test } from 'vitest'
import { failOver, type NamedPlan, startNamed, told } from '../support/named-cluster.ts'
import { cli, HAS_REDIS, masterField, type Program, until } from '../support/processes.ts'

const HAS_IPV6 = Object.values(networkInterfaces())
  .flat()
  .some((one) => one?.address === '::1')

/** A redis-sentinel opens connections once a second; with less than this it takes that for a death. */
const DOWN_AFTER_MS = 2_500
const RESOLVE = ['sentinel resolve-hostnames yes']
const ANNOUNCE = [...RESOLVE, 'sentinel announce-hostnames yes']
const BY_NAME = { host: 'localhost', lines: [...ANNOUNCE, 'sentinel announce-ip localhost'] }
const BY_ADDRESS = { host: '127.0.0.1', lines: RESOLVE }

/** It depends on who promotes and by what name that one knows the replica. */
const EITHER = /^(127\.0\.0\.1|localhost)$/

interface Mixture extends Pick<NamedPlan, 'host' | 'sentinels' | 'nodeLines'> {
  /** What the Sentinels may call the new master. */
  readonly hosts: RegExp
}

const nodeLines = ['replica-announce-ip localhost']
const redis = (one: typeof BY_NAME) => ({ ...one, isRedis: true })

const MIXTURES: Readonly<Record<string, Mixture>> = {
  'two of ours and one of Redis, all by name': {
    host: 'localhost',
    nodeLines,
    sentinels: [BY_NAME, BY_NAME, redis(BY_NAME)],
    hosts: /^localhost$/,
  },
  'one of ours and two of Redis, all by name': {
    host: 'localhost',
    nodeLines,
    sentinels: [BY_NAME, redis(BY_NAME), redis(BY_NAME)],
    hosts: /^localhost$/,
  },
  'ours by address, Redis by name': {
    host: '127.0.0.1',
    sentinels: [BY_ADDRESS, BY_ADDRESS, redis(BY_NAME)],
    hosts: EITHER,
  },
  'ours by name, Redis by address': {
    host: '127.0.0.1',
    sentinels: [BY_NAME, redis(BY_ADDRESS), redis(BY_ADDRESS)],
    hosts: EITHER,
  },
}

describe.skipIf(!HAS_REDIS)('needs redis-server and redis-sentinel', () => {
  for (const [name, mixture] of Object.entries(MIXTURES)) {
    test.concurrent(`${name}: a killed master is replaced, twice`, async ({ onTestFinished }) => {
      const cluster = await startNamed({ ...mixture, downAfterMs: DOWN_AFTER_MS })
      onTestFinished(() => cluster.stop())
      let [master] = cluster.nodes as [Program]
      for (let round = 0; round < 2; round++) {
        const promoted = await failOver(cluster, master)
        for (const [host, port] of told(cluster)) {
          expect(host).toMatch(mixture.hosts)
          expect(port).toBe(String(promoted))
        }
        master = cluster.nodes.find((one) => one.port === promoted) as Program
      }
      await until('all know two others and one epoch, and ours two replicas', 40_000, () => {
        const views = cluster.sentinels.map((one) => [
          masterField(one, 'config-epoch'),
          masterField(one, 'num-other-sentinels'),
          // A redis-sentinel may count a replica twice, by its name and by its address.
          one.isRedis ? '2' : masterField(one, 'num-slaves'),
        ])
        return views.every((view) => view.join() === `${views[0]?.[0]},2,2`)
      })
    })
  }

  test
    .skipIf(!HAS_IPV6)
    .concurrent('on IPv6 a killed master is replaced', async ({ onTestFinished }) => {
      const one = { host: '::1' }
      const sentinels = [one, one, { ...one, isRedis: true }]
      const cluster = await startNamed({ host: '::1', sentinels, downAfterMs: DOWN_AFTER_MS })
      onTestFinished(() => cluster.stop())
      const [master] = cluster.nodes as [Program]
      const promoted = await failOver(cluster, master)
      for (const view of told(cluster)) expect(view).toEqual(['::1', String(promoted)])
      expect(cli(master.port, 'ROLE').slice(0, 2)).toEqual(['slave', '::1'])
    })
})
