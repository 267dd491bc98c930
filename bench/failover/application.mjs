/**
 * The application, as a process of its own: a stock ioredis Sentinel client with the options the README
 * recommends, which writes numbered keys one after the other and never stops. It tells its parent which
 * numbers were acknowledged and when.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { nowMs } from '../support/clock.mjs'
import { HOST } from '../support/ports.mjs'

const PAUSE_MS = 1
const REPORT_PERIOD_MS = 50

const [group, ...sentinelPorts] = process.argv.slice(2)
const client = new Redis({
  sentinels: sentinelPorts.map((port) => ({ host: HOST, port: Number(port) })),
  name: group,
  failoverDetector: true,
  disconnectTimeout: 50,
  retryStrategy: () => 50,
})
// Lost connections are what this is about.
client.on('error', () => undefined)
// A switch that is announced while ioredis 6 asks a Sentinel for the master ends it for good.
client.on('end', () => client.connect().catch(() => undefined))

let acknowledged = []

// Without its parent it has nobody to write for.
process.on('disconnect', () => process.exit(0))
// A write that is still under way has not been acknowledged.
process.on('message', () => report(true))
setInterval(() => report(false), REPORT_PERIOD_MS)

for (let number = 1; ; number++) {
  const reply = await client.set(`number:${number}`, number).catch((error) => error.message)
  // Anything else is nobody's promise; the next number follows.
  if (reply === 'OK') acknowledged.push({ number, atMs: nowMs() })
  await sleep(PAUSE_MS)
}

function report(isLast) {
  process.send({ acknowledged, isLast })
  acknowledged = []
  if (isLast) process.disconnect()
}
