/**
 * Asks all Sentinels of a group and its nodes what a forecast takes: the Sentinels' views, a dry run of a failover
 * from each, and from each node how fast it writes and how it is fenced. Nothing is changed there.
 */

import { setTimeout } from 'node:timers/promises'
import { utf8Bytes } from '../../base/utf8.ts'
import type { FailoverPlan } from '../../core/failover/failover-plan.ts'
import { reasonOf } from '../../io/start-error.ts'
import { readPlan } from '../failover/plan-text.ts'
import {
  type AccessOptions,
  allowanceOfOneRun,
  connect,
  readAccess,
  type SentinelLogin,
} from '../status/access.ts'
import { askAll } from '../status/ask.ts'
import { type Allowance, type Asking, printable, type ReplyValue } from '../status/asking.ts'
import { withGrant } from '../status/grant.ts'
import { groupNamed } from '../status/group-named.ts'
import { parseInfo, programIn } from '../status/info.ts'
import { type GroupReport, judge } from '../status/judge.ts'
import { DEFAULT_SENTINEL_ADDRESS } from '../status/status.ts'
import { addressOf, isVedette, type SentinelAnswer } from '../status/view.ts'
import { type AskedFacts, type GroupLayout, layoutOf } from './layout.ts'

/** How to reach the Sentinels, and how to log in to them and to the nodes. */
export interface MemberAccess extends AccessOptions {
  readonly sentinel?: readonly string[]
  readonly nodeUser?: string
  readonly nodePass?: string
}

export type ExplainAccess = MemberAccess

/** So that the password appears in no list of processes. */
const NODE_PASSWORD_VARIABLE = 'VEDETTE_NODE_PASS'
/** Between two looks at how much a master has written. */
const RATE_MS = 1_000
/** No group has more nodes; a made-up list must not keep us busy. */
const MOST_NODES = 64

export interface Seen {
  /** Undefined: no Sentinel that answers watches this group. */
  readonly layout: GroupLayout | undefined
  readonly sentinels: readonly SentinelAnswer[]
}

/** `dryRun`: the words that say which failover the Sentinels are asked about. */
export async function lookAtGroup(
  group: string,
  options: ExplainAccess,
  dryRun: readonly string[] = [],
): Promise<Seen> {
  const access = readAccess(options)
  const sentinels = await askAll(options.sentinel ?? [DEFAULT_SENTINEL_ADDRESS], access)
  const [report] = judge(sentinels, group).groups
  if (report === undefined) return { layout: undefined, sentinels }
  const [plans, facts] = await Promise.all([
    askPlans(report, access, dryRun),
    askNodes(report, nodeLogin(options)),
  ])
  return { layout: layoutOf(report, sentinels, plans, facts), sentinels }
}

/** Nodes are asked as their own user; the certificates are those for the Sentinels. */
export function nodeLogin(options: MemberAccess): SentinelLogin {
  const { nodeUser, nodePass = process.env[NODE_PASSWORD_VARIABLE] } = options
  return { user: nodeUser, password: nodePass, tls: readAccess(options).tls }
}

async function askPlans(
  { name, says }: GroupReport,
  access: SentinelLogin,
  dryRun: readonly string[],
): Promise<ReadonlyMap<string, FailoverPlan | Error>> {
  const allowance = allowanceOfOneRun()
  const ours = says.filter(({ sentinel }) => isVedette(sentinel))
  const answers = await Promise.all(
    ours.map(async ({ sentinel: { address } }) => {
      const plan = await withClient(address, access, allowance, async (client) => {
        const { word } = await groupNamed(client, name)
        return readPlan(await client.call('SENTINEL', 'FAILOVER', word, ...dryRun, 'DRYRUN'))
      })
      return [address, plan] as const
    }),
  )
  return new Map(answers)
}

async function askNodes(
  { says }: GroupReport,
  access: SentinelLogin,
): Promise<ReadonlyMap<string, AskedFacts>> {
  const allowance = allowanceOfOneRun()
  const masters = new Set(says.map(({ group }) => group.address))
  const replicas = says.flatMap(({ group }) => group.replicas.map(addressOf))
  const addresses = [...new Set([...masters, ...replicas])].slice(0, MOST_NODES)
  const told = await Promise.all(
    addresses.map(async (address) => {
      const facts = await withClient(address, access, allowance, (client) =>
        askNode(client, masters.has(address), access.user),
      )
      if (!(facts instanceof Error)) return [address, facts] as const
      return [address, { ...SILENT, failure: printable(utf8Bytes(facts.message)) }] as const
    }),
  )
  return new Map(told)
}

const SILENT = {
  program: '',
  bytesPerSecond: undefined,
  minReplicasToWrite: undefined,
  minReplicasMaxLagSeconds: undefined,
  unread: '',
}

async function askNode(
  client: Asking,
  isMaster: boolean,
  user: string | undefined,
): Promise<AskedFacts> {
  const startedAtMs = performance.now()
  const before = String(await client.call('INFO'))
  const wanted = await settingOf(client, 'min-replicas-to-write', user)
  const lag = await settingOf(client, 'min-replicas-max-lag', user)
  const facts = {
    failure: undefined,
    program: programIn(parseInfo(before)) ?? '',
    minReplicasToWrite: wanted instanceof Error ? undefined : wanted,
    minReplicasMaxLagSeconds: lag instanceof Error ? undefined : lag,
    unread: wanted instanceof Error ? wanted.message : '',
  }
  if (!isMaster) return { ...facts, bytesPerSecond: undefined }
  await setTimeout(RATE_MS)
  const after = String(await client.call('INFO'))
  const seconds = (performance.now() - startedAtMs) / 1_000
  const written = (offsetIn(after) ?? Number.NaN) - (offsetIn(before) ?? Number.NaN)
  return { ...facts, bytesPerSecond: written >= 0 ? written / seconds : undefined }
}

/** A number, or why the node does not tell it. */
async function settingOf(
  client: Asking,
  name: string,
  user: string | undefined,
): Promise<number | Error> {
  const answer: ReplyValue | Error = await client
    .call('CONFIG', 'GET', name)
    .catch((error: unknown) => new Error(whyUnread(reasonOf(error), user)))
  if (answer instanceof Error) return answer
  const value = Array.isArray(answer) ? answer[1] : undefined
  const isNumber = typeof value === 'string' && /^\d{1,9}$/.test(value)
  return isNumber ? Number(value) : new Error('it has no such setting')
}

function whyUnread(reason: string, user: string | undefined): string {
  if (/unknown command/i.test(reason)) return 'CONFIG is renamed or switched off there'
  return printable(utf8Bytes(withGrant(reason, user)))
}

function offsetIn(info: string): number | undefined {
  const [, digits] = /^master_repl_offset:(\d{1,15})\r?$/m.exec(info) ?? []
  return digits === undefined ? undefined : Number(digits)
}

export async function withClient<Answer>(
  address: string,
  access: SentinelLogin,
  allowance: Allowance,
  ask: (client: Asking) => Promise<Answer>,
): Promise<Answer | Error> {
  const client = connect(address, access, allowance)
  try {
    await client.open()
    return await ask(client)
  } catch (error) {
    return new Error(withGrant(reasonOf(error), access.user))
  } finally {
    client.disconnect()
  }
}
