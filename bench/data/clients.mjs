/** The parent's side of the clients that write during a measurement. */
import { once } from 'node:events'
import { pathOf } from '../../scripts/paths.mjs'

export class Clients {
  #member
  #workshop

  static start(workshop, { port }, keys) {
    const script = pathOf('bench/data/probe.mjs')
    const member = workshop.fork({
      title: 'the clients',
      script,
      args: [String(port), String(keys)],
    })
    return new Clients(workshop, member)
  }

  constructor(workshop, member) {
    this.#workshop = workshop
    this.#member = member
  }

  /** The clients' waits while `work` ran: `{ p99Ms, p999Ms, maxMs }` beside its result. */
  async during(work) {
    this.#member.child.send('begin')
    const result = await work()
    this.#member.assertRunning()
    this.#member.child.send('end')
    const [waits] = await once(this.#member.child, 'message')
    return { result, waits }
  }

  stop() {
    return this.#workshop.end([this.#member])
  }
}
