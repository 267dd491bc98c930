/** One stage with one program: fills a node, and measures one command after another. */
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathOf } from '../../scripts/paths.mjs'
import { until } from '../support/clock.mjs'
import { withConnection } from '../support/connection.mjs'
import { NODE_LINES, startDaemon } from '../support/daemon.mjs'
import { freePorts } from '../support/ports.mjs'
import { Wire } from './wire.mjs'

const START_BOUND_MS = 20_000
/** By then the work after earlier frees or writes is done, or most of it. */
const REST_MS = 50

/** Returns `{ waits: { [title]: { ownMs, othersMs } } }`. */
export async function measureContender(workshop, { contender, name, stage }) {
  const node = await startNode(workshop, { contender, name })
  const wire = await Wire.open(node.port)
  const closers = [() => wire.close()]
  try {
    for (const part of stage.fill()) await wire.call(part)
    closers.push(...((await stage.around?.(node.port)) ?? []))
    const witness = workshop.fork({
      title: 'the witness',
      script: pathOf('bench/pauses/witness.mjs'),
      args: [String(node.port)],
    })
    const waits = {}
    for (const one of stage.commands) waits[one.title] = await measure(wire, witness, one)
    return { waits }
  } finally {
    for (const close of closers) close()
    await workshop.endAll()
  }
}

async function measure(wire, witness, { title, send, before = [] }) {
  try {
    for (const part of before) await wire.call(part)
    await sleep(REST_MS)
    witness.child.send('begin')
    await once(witness.child, 'message')
    const ownMs = await wire.call(send())
    witness.child.send('end')
    const [othersMs] = await once(witness.child, 'message')
    return { ownMs, othersMs }
  } catch (error) {
    throw new Error(`${title}: ${error.message}`)
  }
}

async function startNode(workshop, { contender, name }) {
  const [port] = await freePorts(1)
  const lines = [
    ...NODE_LINES,
    'enable-debug-command yes',
    'client-output-buffer-limit pubsub 0 0 0',
  ]
  const place = { family: contender.family, role: 'server', port, name, lines }
  const node = startDaemon(workshop, place)
  await withConnection(port, (client) =>
    until(`${node.member.title} answers`, START_BOUND_MS, async () => {
      node.member.assertRunning()
      return (await client.ping()) === 'PONG'
    }),
  )
  return node
}
