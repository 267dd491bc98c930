/** How long a Sentinel takes to say where a master is. */
import { nowMs } from '../support/clock.mjs'
import { connectTo, withConnectionTo } from '../support/connection.mjs'
import { PATIENT } from './fleet.mjs'

const QUESTIONS = 2_000
const PERIOD_MS = 2

/** One question after another, as one client would ask them. Returns milliseconds. */
export function askInTurn(sentinel, groups) {
  const work = async (client) => {
    const times = []
    for (let at = 0; at < QUESTIONS; at++) {
      const askedMs = nowMs()
      await ask(client, groups, at)
      times.push(nowMs() - askedMs)
    }
    return times
  }
  return withConnectionTo(sentinel, work, PATIENT)
}

/**
 * Asks at a steady rate, whether the answers come or not: a late answer delays the others, and each
 * counts from when it was due. `stop()` returns milliseconds.
 */
export async function askSteadily(sentinel, groups) {
  // A client that gives up after a while would leave out the worst answers.
  const client = connectTo(sentinel, { commandTimeout: undefined })
  await client.ping()
  const startedMs = nowMs()
  const times = []
  let asked = 0
  const askDue = () => {
    for (; startedMs + asked * PERIOD_MS <= nowMs(); asked++) {
      const dueMs = startedMs + asked * PERIOD_MS
      ask(client, groups, asked).then(
        () => times.push(nowMs() - dueMs),
        () => undefined,
      )
    }
  }
  const timer = setInterval(askDue, PERIOD_MS)
  return {
    stop() {
      clearInterval(timer)
      client.disconnect()
      return times
    },
  }
}

/** The time that `share` of all did not exceed; undefined if there were none. */
export function quantile(times, share) {
  const sorted = [...times].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}

function ask(client, groups, number) {
  const { name } = groups[number % groups.length]
  return client.sentinel('get-master-addr-by-name', name)
}
