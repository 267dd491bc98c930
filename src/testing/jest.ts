/** `vedette/jest`: what src/exports/jest.ts gives to tests. */
import process from 'node:process'
import type { Cluster } from './api.ts'
import { startCluster } from './cluster.ts'
import type {
  JestClusterBody,
  JestClusterOptions,
  JestClusterTest,
  JestDeclare,
  JestGlobals,
} from './jest-types.ts'

/** For starting and stopping: a busy CI machine may take longer than Jest's five seconds. */
const HOOK_MS = 60_000

export function clusterTest({ globals, ...options }: JestClusterOptions): JestClusterTest {
  const { test, beforeAll, afterAll } = globals ?? globalsOfJest()
  let cluster: Cluster | undefined
  beforeAll(async () => {
    cluster = await startCluster(options)
  }, HOOK_MS)
  afterAll(async () => cluster?.stop(), HOOK_MS)
  const declare = (how: JestDeclare) => (name: string, run: JestClusterBody, timeoutMs?: number) =>
    how(name, () => played(cluster as Cluster, run), timeoutMs)
  return Object.assign(declare(test), { only: declare(test.only), skip: declare(test.skip) })
}

async function played(cluster: Cluster, run: JestClusterBody): Promise<void> {
  await cluster.reset()
  try {
    await run({ cluster })
  } catch (error) {
    process.stderr.write(`${cluster.timeline()}\n`)
    throw error
  }
}

function globalsOfJest(): JestGlobals {
  const found = globalThis as Partial<JestGlobals>
  if (found.test !== undefined && found.beforeAll !== undefined && found.afterAll !== undefined) {
    return found as JestGlobals
  }
  throw new TypeError(
    "clusterTest: Jest's globals are missing; call it in a test file, and with injectGlobals: false as clusterTest({ globals: require('@jest/globals') })",
  )
}
