/** `vedette failover`: a planned change of the master, and the wait until everybody knows. */
import { setTimeout } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import { reasonOf } from '../io/start-error.ts'
import { EXIT_FAILED, say } from './report.ts'
import { type Access, type AccessOptions, connect, open, readAccess } from './status/access.ts'
import { askAll } from './status/ask.ts'
import { type GroupReport, judge } from './status/judge.ts'
import { hostAndPort } from './status/view.ts'
import { DEFAULT_SENTINEL_ADDRESS, EXIT_NO_ANSWER } from './status.ts'
import { StatusLine } from './status-line.ts'

export interface FailoverOptions extends AccessOptions {
  readonly sentinel?: readonly string[]
  readonly coordinated?: boolean
  readonly wait?: boolean
  /** Milliseconds. */
  readonly timeout: number
}

const POLL_MS = 100

export async function runFailover(group: string, options: FailoverOptions): Promise<number> {
  const access = readAccess(options)
  const addresses = options.sentinel ?? [DEFAULT_SENTINEL_ADDRESS]
  const found = await findSentinel(addresses, access)
  if (found === undefined) return EXIT_NO_ANSWER
  try {
    return await failOver(found, group, options, () => askAll(addresses, access))
  } finally {
    found.disconnect()
  }
}

/** The first that answers: any Sentinel can lead a failover it was asked for. */
async function findSentinel(
  addresses: readonly string[],
  access: Access,
): Promise<Redis | undefined> {
  for (const address of addresses) {
    const client = connect(address, access)
    const failure = await open(client).then(() => undefined, reasonOf)
    if (failure === undefined) return client
    say(`vedette: Sentinel ${address} does not answer: ${failure}`)
  }
  return undefined
}

async function failOver(
  sentinel: Redis,
  group: string,
  options: FailoverOptions,
  look: () => ReturnType<typeof askAll>,
): Promise<number> {
  const before = await masterOf(sentinel, group)
  const words = options.coordinated === true ? [group, 'COORDINATED'] : [group]
  const refusal = await sentinel
    .call('SENTINEL', 'FAILOVER', ...words)
    .then(() => undefined, reasonOf)
  if (refusal !== undefined) {
    say(`vedette: the Sentinel refuses: ${refusal}`)
    say(`  ${hintFor(refusal)}`)
    return EXIT_FAILED
  }
  if (options.wait !== true) {
    process.stdout.write(`failover of ${group} begun; master so far: ${before}\n`)
    return 0
  }
  return await untilSwitched(group, before ?? '', options.timeout, look)
}

async function masterOf(sentinel: Redis, group: string): Promise<string | undefined> {
  const reply = await sentinel.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', group)
  const [host, port] = Array.isArray(reply) ? reply.map(String) : []
  return host === undefined || port === undefined ? undefined : hostAndPort(host, port)
}

/** What to do about the refusals there are. */
function hintFor(refusal: string): string {
  if (refusal.startsWith('NOGOODSLAVE'))
    return '`vedette status` tells what is wrong with the replicas'
  if (refusal.startsWith('INPROG'))
    return 'one is under way already: `vedette status --watch` shows it'
  if (refusal.startsWith('NOGOODPRIMARY'))
    return 'leave --coordinated out, or run a master of 6.2 or newer'
  if (/wrong number of arg/.test(refusal)) return 'this Sentinel does not know --coordinated'
  if (/No such master/.test(refusal))
    return '`vedette status` lists the groups this Sentinel watches'
  return 'the log of the Sentinel may say more'
}

/** Ends when every Sentinel that answers names the same new master and none is at work any more. */
async function untilSwitched(
  group: string,
  before: string,
  timeoutMs: number,
  look: () => ReturnType<typeof askAll>,
): Promise<number> {
  const line = new StatusLine()
  const startedAtMs = performance.now()
  for (;;) {
    const [report] = judge(await look(), group).groups
    const tookMs = Math.round(performance.now() - startedAtMs)
    const master = report === undefined ? undefined : settledMaster(report)
    if (master !== undefined && master !== before) {
      line.clear()
      process.stdout.write(`${group}: ${before} -> ${master} in ${tookMs} ms\n`)
      return 0
    }
    const isGivenUp = master === before
    if (isGivenUp || tookMs > timeoutMs) {
      line.clear()
      const what = isGivenUp ? 'was given up' : 'is not complete'
      say(`vedette: after ${tookMs} ms the failover of ${group} ${what}`)
      for (const { text } of report?.findings ?? []) say(`  ${text}`)
      return EXIT_FAILED
    }
    line.show(`${group}: ${before} -> … ${tookMs} ms`)
    await setTimeout(POLL_MS)
  }
}

/** The master all Sentinels name; undefined while they differ or one is still at work. */
function settledMaster({ says }: GroupReport): string | undefined {
  const names = new Set(says.map(({ group }) => group.address))
  const isBusy = says.some(({ group }) => group.master['failover-state'] !== undefined)
  const [name] = names
  return names.size === 1 && !isBusy ? name : undefined
}
