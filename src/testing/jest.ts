/** `vedette/jest`: what src/exports/jest.ts gives to tests. */
import { relative } from 'node:path'
import process from 'node:process'
import type { Cluster } from './api.ts'
import { startCluster } from './cluster.ts'
import type {
  JestClusterBody,
  JestClusterOptions,
  JestClusterTest,
  JestDeclare,
  JestGlobals,
  JestState,
} from './jest-types.ts'
import { printTimeline } from './print-timeline.ts'

/** For starting and stopping: a busy CI machine may take longer than Jest's five seconds. */
const HOOK_MS = 60_000

export function clusterTest({ globals, ...options }: JestClusterOptions): JestClusterTest {
  const { test, beforeAll, afterEach, afterAll, expect } = globals ?? globalsOfJest()
  let cluster: Cluster | undefined
  let underWay: UnderWay | undefined
  beforeAll(async () => {
    cluster = await startCluster(options)
  }, HOOK_MS)
  // Jest does not end a test that has used up its time: it goes on with the next one.
  afterEach(() => {
    if (underWay !== undefined && cluster !== undefined) printTimeline(cluster, underWay.name)
    underWay = undefined
  })
  afterAll(async () => cluster?.stop(), HOOK_MS)

  const played = async (run: JestClusterBody) => {
    const shared = cluster as Cluster
    const own = { name: shownName(expect.getState()) }
    underWay = own
    await shared.reset()
    try {
      await run({ cluster: shared })
    } catch (error) {
      if (underWay === own) printTimeline(shared, own.name)
      throw error
    } finally {
      if (underWay === own) underWay = undefined
    }
  }
  const declare = (how: JestDeclare) => (name: string, run: JestClusterBody, timeoutMs?: number) =>
    how(name, () => played(run), timeoutMs)
  return Object.assign(declare(test), { only: declare(test.only), skip: declare(test.skip) })
}

/** A test of its own: two may have the same name. */
interface UnderWay {
  readonly name: string
}

/** The file, as Jest shows it, and the test with the groups around it. */
function shownName({ testPath = '', currentTestName }: JestState): string {
  return `${relative(process.cwd(), testPath)} > ${currentTestName}`
}

const NEEDED = ['test', 'beforeAll', 'afterEach', 'afterAll', 'expect'] as const

function globalsOfJest(): JestGlobals {
  const found = globalThis as Partial<JestGlobals>
  if (NEEDED.every((name) => found[name] !== undefined)) return found as JestGlobals
  throw new TypeError(
    "clusterTest: Jest's globals are missing; call it in a test file, and with injectGlobals: false as clusterTest({ globals: require('@jest/globals') })",
  )
}
