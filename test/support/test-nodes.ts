/** Real servers that a test file need not stop: hooks of the suite in which these are called do it. */
import { afterAll, afterEach, beforeAll } from 'vitest'
import { type RealNode, startOurs, startRedis } from './real-nodes.ts'

/** Our node and redis-server, in this order, with the same directives, for all tests of the suite. */
export function bothServers(directives: Record<string, string> = {}): readonly RealNode[] {
  const servers: RealNode[] = []
  beforeAll(async () => {
    servers.push(await startOurs(directives), await startRedis(directives))
  })
  afterAll(async () => {
    for (const server of servers) await server.stop()
  })
  return servers
}

/** Stops what a test puts in here when the test is over; the last comes first. */
export function nodesOfTest(): RealNode[] {
  const nodes: RealNode[] = []
  afterEach(async () => {
    for (const node of nodes.splice(0).reverse()) await node.stop()
  })
  return nodes
}
