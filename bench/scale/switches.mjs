/** Which groups have been switched, by which Sentinel, and when. */
import { nowMs } from '../support/clock.mjs'
import { connectTo } from '../support/connection.mjs'
import { PATIENT } from './fleet.mjs'

const CHANNEL = '+switch-master'

export class Switches {
  #clients
  /** For each Sentinel: when it first switched a group, by the group's name. */
  #firsts

  static async open(sentinels) {
    const switches = new Switches(sentinels.map((sentinel) => connectTo(sentinel, PATIENT)))
    await Promise.all(switches.#clients.map((client) => client.subscribe(CHANNEL)))
    return switches
  }

  constructor(clients) {
    this.#clients = clients
    this.#firsts = clients.map(() => new Map())
    for (const [at, client] of clients.entries()) {
      client.on('message', (_channel, text) => this.#heard(this.#firsts[at], text))
    }
  }

  /**
   * When the last Sentinel switched each of these groups, in order; without groups that some have not
   * switched.
   */
  everywhereMs(names) {
    const moments = names.map((name) => this.#firsts.map((firsts) => firsts.get(name)))
    const complete = moments.filter((ofOne) => !ofOne.includes(undefined))
    return complete.map((ofOne) => Math.max(...ofOne)).sort((a, b) => a - b)
  }

  /** All groups that any Sentinel has switched. */
  names() {
    return new Set(this.#firsts.flatMap((firsts) => [...firsts.keys()]))
  }

  close() {
    for (const client of this.#clients) client.disconnect()
  }

  /** `name old-ip old-port new-ip new-port` */
  #heard(firsts, text) {
    const [name] = text.split(' ')
    if (!firsts.has(name)) firsts.set(name, nowMs())
  }
}
