/**
 * A client of a scenario as a process of its own. The runner starts it with its order as argument.
 */
import { createRng } from '../../base/rng.ts'
import { ClientProgram } from '../../sim/clients/client-program.ts'
import { ProxiedClient } from '../../sim/clients/proxied-client.ts'
import { runProgram } from '../real-shell.ts'
import { type ClientOrder, Reporter } from './client-report.ts'

const NS_PER_MS = 1_000_000n

const order = JSON.parse(process.argv[2] ?? '') as ClientOrder
const origin = BigInt(order.originNs)

const nowMs = (): number => Number((process.hrtime.bigint() - origin) / NS_PER_MS)

// Writing to a pipe is synchronous, so a report is out when this returns. Without a reader there is
// no run any more.
const log = new Reporter(nowMs, (report) => process.stdout.write(`${JSON.stringify(report)}\n`))
process.stdout.on('error', () => process.exit(0))

process.once('SIGTERM', () => process.exit(0))

const { name, life, group, sentinels, operation, pace, manner, wait, databases, hasProxy } = order
const isData = operation === 'data'
const rng = createRng(`${name}/${life}`)
const work = isData ? { rng, databases } : undefined
const asked = { operation, pace, manner, wait, work, rng }
runProgram(
  { name, life },
  (shell) => {
    const start = { ...asked, shell, group, sentinels, log }
    if (hasProxy !== true) return new ClientProgram(start)
    // No checker of real processes asks where the proxy sends what.
    return new ProxiedClient({ ...start, tell: () => undefined })
  },
  () => process.exit(0),
)
