/**
 * The application, in a process of its own: a stock Sentinel client, which writes numbered keys one after
 * another and never stops. It tells its parent which numbers were acknowledged and when.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { nowMs } from '../support/clock.mjs'
import { keyOf } from './keys.mjs'
import { STOCK_CLIENTS } from './stock-clients.mjs'

const PAUSE_MS = 1
const REPORT_PERIOD_MS = 50

const [name, group, ...addresses] = process.argv.slice(2)
const client = await STOCK_CLIENTS[name](group, addresses.map(toAddress))
let acknowledged = []

// Without its parent it has no reason to write.
process.on('disconnect', () => process.exit(0))
// A write that is still under way has not been acknowledged.
process.on('message', () => report(true))
setInterval(() => report(false), REPORT_PERIOD_MS)

for (let number = 1; ; number++) {
  const reply = await client
    .set(keyOf(name, number), String(number))
    .catch((error) => error.message)
  // Any other reply is no promise; the next number follows.
  if (reply === 'OK') acknowledged.push({ number, atMs: nowMs() })
  await sleep(PAUSE_MS)
}

function toAddress(text) {
  const [host, port] = text.split(':')
  return { host, port: Number(port) }
}

function report(isLast) {
  process.send({ acknowledged, isLast })
  acknowledged = []
  if (isLast) process.disconnect()
}
