/**
 * What people build on Redis, over a group of our nodes and Sentinels and beside it over redis-server and
 * redis-sentinel: the same everyday work must come out alike, and while the master is killed and another
 * one is put in its place, nothing may be lost or done twice beyond what the library itself allows. What
 * Redis' own group loses there is printed, and no claim: after SENTINEL FAILOVER its old master takes
 * writes for seconds that nobody will have.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  agreedMaster,
  cli,
  HAS_REDIS,
  masterPort,
  type Program,
  until,
} from '../../support/processes.ts'
import type { Application, LongWork } from './application.ts'
import { board } from './board.ts'
import { type Deployment, deploy, GROUP, hurrying } from './deployment.ts'
import { jobs } from './jobs.ts'
import { limits } from './limits.ts'
import { locks } from './locks.ts'
import { celery, go, perl, php, python, ruby, sidekiq } from './programs.ts'
import { cache, sessions } from './stores.ts'
import { webdis } from './webdis.ts'

const APPLICATIONS: readonly Application[] = [
  jobs,
  board,
  locks,
  limits,
  sessions,
  cache,
  python,
  php,
  perl,
  ruby,
  go,
  sidekiq,
  celery,
  webdis,
]
/** C Sentinel needs some seconds for each switch. */
const SWITCH_MS = 20_000
const AGAIN = 20

interface Outcome {
  readonly facts: unknown
  readonly wrong: readonly string[]
}

describe.skipIf(!HAS_REDIS)('(need redis-server, redis-sentinel and redis-cli)', () => {
  const places: Deployment[] = []
  const outcomes = new Map<string, Outcome>()
  const here = APPLICATIONS.filter(({ missing }) => missing === undefined)

  beforeAll(async () => {
    places.push(...(await Promise.all((['ours', "Redis'"] as const).map(deploy))))
    await Promise.all(places.map((place) => live(place, here, outcomes)))
  })
  afterAll(() => Promise.all(places.map(({ cluster }) => cluster.stop())))

  for (const { name, missing } of APPLICATIONS) {
    describe.skipIf(missing !== undefined)(missing ? `${name} (needs ${missing})` : name, () => {
      test('does its everyday work as over redis-server', () => {
        const [ours, theirs] = of(name).map(({ facts }) => facts)
        expect(ours).toEqual(theirs)
      })

      test('loses nothing and repeats nothing when its master dies or is replaced', () => {
        const [ours, theirs] = of(name).map(({ wrong }) => wrong)
        if (theirs?.[0] !== undefined) {
          console.log(`${name} over Redis: ${theirs.length} of ${theirs[0]}`)
        }
        expect(ours).toEqual([])
      })
    })
  }

  function of(name: string): readonly Outcome[] {
    return places.map((place) => outcomes.get(`${name} ${place.name}`) as Outcome)
  }
})

async function live(
  place: Deployment,
  applications: readonly Application[],
  outcomes: Map<string, Outcome>,
): Promise<void> {
  const facts: unknown[] = []
  // One after the other: what a library does by the clock is late where ten of them start.
  for (const one of applications) {
    cli(place.cluster.nodes[0]?.port as number, 'FLUSHALL')
    facts.push(await one.use(place).catch(String))
  }
  const begun = applications.map((one) => one.begin?.(place))
  const work = new Map<string, LongWork>()
  for (const [at, { name }] of applications.entries()) {
    const one = await begun[at]
    if (one !== undefined) work.set(name, one)
  }
  const stuck = await switchMasters(place, work)
  await Promise.all(
    applications.map(async ({ name }, at) => {
      const wrong = (await work.get(name)?.finish()) ?? []
      const own = stuck.filter((text) => text.startsWith(`${name} `))
      outcomes.set(`${name} ${place.name}`, { facts: facts[at], wrong: [...own, ...wrong] })
    }),
  )
}

type Work = ReadonlyMap<string, LongWork>

/** C Sentinels split votes by chance, which is not ours to judge. */
async function switchMasters(place: Deployment, work: Work): Promise<string[]> {
  try {
    return [...(await killMaster(place, work)), ...(await replaceMaster(place, work))]
  } catch (error) {
    if (place.name === 'ours') throw error
    console.log(`Redis' group: ${error}`)
    return []
  }
}

async function killMaster(place: Deployment, work: Work): Promise<string[]> {
  const [master] = place.cluster.nodes as [Program]
  for (const one of work.values()) one.masterDied()
  await master.kill()
  await hurrying(place, () => agreedMaster(place.cluster, master.port, SWITCH_MS))
  return stuckAfter('the master was killed', work)
}

/** An operator asks for another master: the old one stays, and hands over what it has if it can. */
async function replaceMaster({ name, cluster }: Deployment, work: Work): Promise<string[]> {
  const [sentinel] = cluster.sentinels as [Program]
  const old = masterPort(sentinel)
  const how = name === 'ours' ? ['COORDINATED'] : []
  await until('a Sentinel takes the order', SWITCH_MS, () => {
    return cli(sentinel.port, 'SENTINEL', 'FAILOVER', GROUP, ...how)[0] === 'OK'
  })
  await agreedMaster(cluster, old, SWITCH_MS)
  return stuckAfter('the master was replaced', work)
}

/** Who does not go on. */
async function stuckAfter(event: string, work: Work): Promise<string[]> {
  const going = [...work].map(async ([name, one]) => {
    const wanted = one.successes + AGAIN
    const goesOn = until(name, SWITCH_MS, () => one.successes >= wanted)
    return goesOn.then(
      () => '',
      () => `${name} does not go on after ${event}`,
    )
  })
  return (await Promise.all(going)).filter((text) => text !== '')
}
