/** The parent's side of the application: which writes have been acknowledged so far. */

import { pathOf } from '../../scripts/paths.mjs'
import { until } from '../support/clock.mjs'
import { withConnectionTo } from '../support/connection.mjs'
import { GROUP } from './cluster.mjs'
import { keyOf } from './keys.mjs'

const START_BOUND_MS = 10_000
const STOP_BOUND_MS = 2_000
const WARM_UP_WRITES = 500
const PAGE = 1_000
/** An acknowledgement that was on its way when the master died did not come from a new one. */
const IN_FLIGHT_MS = 100

export class Client {
  name
  member
  #acknowledged = []
  #hasStopped = false

  /** Starts writing; resolves when some hundred writes have been acknowledged. */
  static async start(workshop, { name, host, sentinels }) {
    const member = workshop.fork({
      title: `the application with ${name}`,
      script: pathOf('bench/failover/application.mjs'),
      args: [name, GROUP, ...sentinels.map((one) => `${one.host.ip}:${one.port}`)],
      host,
    })
    const client = new Client(name, member)
    await until('the application writes', START_BOUND_MS, () => {
      member.assertRunning()
      return client.#acknowledged.length >= WARM_UP_WRITES
    })
    return client
  }

  constructor(name, member) {
    this.name = name
    this.member = member
    member.child.on('message', ({ acknowledged, isLast }) => {
      this.#acknowledged.push(...acknowledged)
      if (isLast) this.#hasStopped = true
    })
  }

  /** When the first write was acknowledged that only a new master can have acknowledged. */
  resumedMs(faultAtMs) {
    return this.#acknowledged.find(({ atMs }) => atMs > faultAtMs + IN_FLIGHT_MS)?.atMs
  }

  /** Ends the writing. Returns the keys of all acknowledged writes; each has its number as value. */
  async stop() {
    this.member.child.send('stop')
    await until('the application has stopped', STOP_BOUND_MS, () => this.#hasStopped)
    return this.#acknowledged.map(({ number }) => ({ key: keyOf(this.name, number), number }))
  }
}

/** How many of these writes, each `{ key, number }`, a node does not have. */
export function countMissing(node, writes) {
  return withConnectionTo(node, async (client) => {
    let missing = 0
    for (let at = 0; at < writes.length; at += PAGE) {
      const page = writes.slice(at, at + PAGE)
      const values = await client.mget(...page.map(({ key }) => key))
      missing += page.filter(({ number }, index) => values[index] !== String(number)).length
    }
    return missing
  })
}
