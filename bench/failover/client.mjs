/** The parent's side of the application: what it has been promised so far. */

import { pathOf } from '../../scripts/paths.mjs'
import { until } from '../support/clock.mjs'
import { withConnection } from '../support/connection.mjs'
import { GROUP } from './cluster.mjs'

const START_BOUND_MS = 10_000
const STOP_BOUND_MS = 2_000
const WARM_UP_WRITES = 500
const PAGE = 1_000
/** An acknowledgement that was on its way when the master died is not the answer of a new one. */
const IN_FLIGHT_MS = 100

export class Client {
  member
  #acknowledged = []
  #hasStopped = false

  /** Starts writing; resolves when some hundred writes have been acknowledged. */
  static async start(workshop, sentinels) {
    const member = workshop.fork({
      title: 'the application',
      script: pathOf('bench/failover/application.mjs'),
      args: [GROUP, ...sentinels.map(({ port }) => String(port))],
    })
    const client = new Client(member)
    await until('the application writes', START_BOUND_MS, () => {
      member.assertRunning()
      return client.#acknowledged.length >= WARM_UP_WRITES
    })
    return client
  }

  constructor(member) {
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

  /** Ends the writing. Gives the numbers of all acknowledged writes. */
  async stop() {
    this.member.child.send('stop')
    await until('the application has stopped', STOP_BOUND_MS, () => this.#hasStopped)
    return this.#acknowledged.map(({ number }) => number)
  }
}

/** How many of these numbers a node does not have. */
export function countMissing(port, numbers) {
  return withConnection(port, async (client) => {
    let missing = 0
    for (let at = 0; at < numbers.length; at += PAGE) {
      const page = numbers.slice(at, at + PAGE)
      const values = await client.mget(...page.map((number) => `number:${number}`))
      missing += page.filter((number, index) => values[index] !== String(number)).length
    }
    return missing
  })
}
