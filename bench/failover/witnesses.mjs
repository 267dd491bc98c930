/**
 * What reports the events: a subscriber on every Sentinel, and a probe on every replica that keeps
 * trying to write until it may.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { nowMs } from '../support/clock.mjs'
import { connectTo } from '../support/connection.mjs'
import { GROUP } from './cluster.mjs'

const PROBE_PERIOD_MS = 2

/** From now on records every event of every Sentinel, with the moment it arrived. */
export class Listener {
  #clients
  #events = []

  static async open(sentinels) {
    const listener = new Listener(sentinels.map((sentinel) => connectTo(sentinel)))
    await Promise.all(listener.#clients.map((client) => client.psubscribe('*')))
    return listener
  }

  constructor(clients) {
    this.#clients = clients
    for (const [sentinel, client] of clients.entries()) {
      client.on('pmessage', (_pattern, channel, text) => {
        this.#events.push({ sentinel, channel, text, atMs: nowMs() })
      })
    }
  }

  /** When the first Sentinel called the master down; undefined if none did. */
  firstDownMs(sinceMs) {
    return this.#find('+sdown', `master ${GROUP} `, sinceMs)[0]?.atMs
  }

  /** When the last Sentinel had switched; undefined while one has not. */
  lastSwitchMs(sinceMs) {
    const switches = this.#find('+switch-master', `${GROUP} `, sinceMs)
    const firsts = this.#clients.map((_, at) => switches.find(({ sentinel }) => sentinel === at))
    if (firsts.includes(undefined)) return undefined
    return Math.max(...firsts.map(({ atMs }) => atMs))
  }

  close() {
    for (const client of this.#clients) client.disconnect()
  }

  #find(channel, start, sinceMs) {
    return this.#events.filter(
      (event) => event.channel === channel && event.text.startsWith(start) && event.atMs >= sinceMs,
    )
  }
}

/** Asks one replica to write, every two milliseconds, until it accepts. */
export class WriteProbe {
  acceptedAtMs
  #client
  #isOpen = false

  static async open(node) {
    // A promotion closes all ordinary connections, including this one: reconnects at once, and
    // repeats the command.
    const probe = new WriteProbe(connectTo(node, { retryStrategy: () => 1 }))
    await probe.#client.ping()
    return probe
  }

  constructor(client) {
    this.#client = client
  }

  start() {
    this.#isOpen = true
    // It never throws: it waits for the refusals to end.
    void this.#ask()
  }

  close() {
    this.#isOpen = false
    this.#client.disconnect()
  }

  async #ask() {
    while (this.#isOpen) {
      const reply = await this.#client.set('probe', 'x').catch((error) => error.message)
      if (reply === 'OK') {
        this.acceptedAtMs = nowMs()
        return
      }
      await sleep(PROBE_PERIOD_MS)
    }
  }
}
