/**
 * `vedette drain`: what a node is asked before it is stopped, for redis-server and Valkey, which do not hand over by
 * themselves. A master has a Sentinel arrange a coordinated failover, and the command ends when every Sentinel
 * names another one; a replica can be stopped as it is.
 *
 * Which group the node is the master of is not told but found: the Sentinel names the run id.
 */
import { reasonOf } from '../../io/start-error.ts'
import { type FailoverOptions, runFailover } from '../failover/failover.ts'
import { printJson } from '../json-answer.ts'
import { EXIT_CONFIG, EXIT_FAILED, say } from '../report.ts'
import { type AccessOptions, connect, readAccess } from '../status/access.ts'
import type { Asking } from '../status/asking.ts'
import { readMasters, readText } from '../status/shapes.ts'
import { silence, wayOut } from '../status/silence.ts'
import { DEFAULT_SENTINEL_ADDRESS, EXIT_NO_ANSWER } from '../status/status.ts'

export interface DrainOptions extends AccessOptions {
  /** `host:port` of the node that is to be stopped. */
  readonly node: string
  readonly nodeUser?: string
  readonly nodePass?: string
  readonly sentinel?: readonly string[]
  readonly json?: boolean
  /** Milliseconds. */
  readonly timeout: number
}

/** Sentinels that have not yet seen a replica come back refuse, and do not a moment later. */
const REFUSED_MS = 5_000

export async function runDrain(options: DrainOptions): Promise<number> {
  const { node, timeout, json } = options
  const told = (done: boolean, reason: string) => {
    if (json === true) printJson({ node, done, reason, ...(done ? {} : { error: reason }) })
    else if (done) process.stdout.write(`${node}: ${reason}\n`)
    else say(`vedette: ${node}: ${reason}`)
  }
  const own = await ask(nodeAccess(options), node, readNode)
  if (own instanceof Error) {
    told(false, silence('the node', own.message))
    return EXIT_NO_ANSWER
  }
  if (own.role === '') {
    told(false, 'it is no data node, as it has no role in INFO; name the data node with --node')
    return EXIT_CONFIG
  }
  if (own.role !== 'master' || own.replicas === '0') {
    const what = own.role === 'master' ? 'a master without replicas' : 'no master'
    told(true, `it is ${what}, so there is nothing to hand over`)
    return 0
  }
  const found = await findGroup(options, own.runId)
  if (found === 'no answer') {
    told(false, 'no Sentinel answers')
    return EXIT_NO_ANSWER
  }
  if (found === undefined) {
    told(
      false,
      'no Sentinel names it as the master of a group; `vedette status` shows which masters they name',
    )
    return EXIT_FAILED
  }
  const order = { ...sentinelOptions(options), sentinel: found.sentinels, timeout }
  const wishes = { coordinated: true, wait: true, json: json === true, retryMs: REFUSED_MS }
  return await runFailover(found.group, { ...order, ...wishes } satisfies FailoverOptions)
}

/** The node's password is the one in the environment, unless there is another. */
function nodeAccess(options: DrainOptions): AccessOptions {
  const { nodeUser, nodePass, pass: _, user: __, ...tls } = options
  return {
    ...tls,
    ...(nodeUser === undefined ? {} : { user: nodeUser }),
    ...(nodePass === undefined ? {} : { pass: nodePass }),
  }
}

function sentinelOptions({ user, pass, tls, cacert, cert, key }: DrainOptions): AccessOptions {
  const given = Object.entries({ user, pass, tls, cacert, cert, key })
  return Object.fromEntries(given.filter(([, value]) => value !== undefined))
}

interface OwnRole {
  readonly role: string
  readonly replicas: string
  readonly runId: string
}

async function readNode(asking: Asking): Promise<OwnRole> {
  const info = readText('INFO', await asking.call('INFO'))
  const field = (name: string) => new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(info)?.[1] ?? ''
  return { role: field('role'), replicas: field('connected_slaves'), runId: field('run_id') }
}

interface FoundGroup {
  readonly group: string
  /** The Sentinels that answer and name this node as the master. */
  readonly sentinels: readonly string[]
}

async function findGroup(
  options: DrainOptions,
  runId: string,
): Promise<FoundGroup | 'no answer' | undefined> {
  const addresses = options.sentinel ?? [DEFAULT_SENTINEL_ADDRESS]
  const answers = await Promise.all(
    addresses.map(async (address) => {
      const masters = await ask(sentinelOptions(options), address, async (asking) =>
        readMasters(await asking.call('SENTINEL', 'MASTERS')),
      )
      return { address, masters }
    }),
  )
  const own = answers.flatMap(({ address, masters }) => {
    if (masters instanceof Error) {
      say(`vedette: ${silence(`Sentinel ${address}`, masters.message)}`)
      return []
    }
    const name = masters.find(({ runid }) => runid === runId)?.name
    return [{ address, name }]
  })
  if (own.length === 0) {
    const failures = answers.flatMap(({ masters }) =>
      masters instanceof Error ? [masters.message] : [],
    )
    say(`  ${wayOut(failures)}`)
    return 'no answer'
  }
  const group = own.find(({ name }) => name !== undefined)?.name
  if (group === undefined) return undefined
  return {
    group,
    sentinels: own.filter(({ name }) => name === group).map(({ address }) => address),
  }
}

/** One question to one server; the reason if it cannot be asked. */
async function ask<Answer>(
  access: AccessOptions,
  address: string,
  question: (asking: Asking) => Promise<Answer>,
): Promise<Answer | Error> {
  const asking = connect(address, readAccess(access))
  try {
    await asking.open()
    return await question(asking)
  } catch (error) {
    return new Error(reasonOf(error))
  } finally {
    asking.disconnect()
  }
}
