/**
 * The histories of keys that clients share, with what the last master holds as their last reads. A history
 * without a linear order is an anomaly: a write that was acknowledged is gone, a read was taken back, half of
 * a transaction was seen, or two masters answered. Asynchronous replication promises nothing beyond one
 * master, so there an anomaly is a violation only if one life of one master gave every answer.
 */
import type { Argv } from '../../history/data/requests.ts'
import { describeTold } from '../../history/data/told.ts'
import type { LinearOperation } from '../../history/shared/linear-candidates.ts'
import { findLinearOrder, type LinearVerdict } from '../../history/shared/linear-order.ts'
import {
  type SharedHistory,
  sharedHistories,
  withoutVainOnes,
} from '../../history/shared/shared-histories.ts'
import { lookAtShared } from '../../history/shared/shared-requests.ts'
import type { Topology } from '../../history/topology.ts'
import type { Question } from '../../history/writes.ts'
import { plainOf } from '../../resp/plain.ts'
import { formatDuration } from '../duration.ts'
import { Lifelines } from '../facts/lifelines.ts'
import type { SharedFacts, Violation } from '../result.ts'
import type { RunHistory, World } from '../world.ts'

/** The client that asks when everything is over. */
const LAST_LOOK = 'the last look'
const CHECKER = 'shared keys have a linear history'
/** More examples of the same kind say nothing new. */
const EXAMPLES_MAX = 3

export interface SharedVerdict {
  readonly violations: readonly Violation[]
  /** By group; no entry: no client of the group shares keys. */
  readonly facts: ReadonlyMap<string, SharedFacts>
}

type Heard = Pick<RunHistory, 'happenings' | 'questions' | 'nameOf' | 'endMs'>

/** `masters`: the last master of each group. It is asked, and every other process keeps running. */
export async function judgeShared(
  world: World,
  topology: Topology,
  history: Heard,
  masters: ReadonlyMap<string, string>,
): Promise<SharedVerdict> {
  const violations: Violation[] = []
  const facts = new Map<string, SharedFacts>()
  const lifelines = new Lifelines(history)
  for (const { name, replication, reads } of topology.groups) {
    const questions = questionsOf(name, topology, history)
    if (questions === undefined) continue
    const looks = await lastLooks(world, name, masters.get(name), questions)
    const isStrict = replication === 'strict'
    // Without a promise about reads, a replaced master may still show what was there before.
    const reading = { areReadsLinear: !isStrict || reads === 'linearizable' }
    const judged = sharedHistories([...questions, ...looks], reading).map((keys) => {
      const isOne = isOneLife(keys, lifelines, history.endMs)
      const verdict = verdictOn(isOne ? keys : withoutVainOnes(keys))
      return { ...verdict, isPromised: isStrict || isOne }
    })
    facts.set(name, factsOf(judged))
    const broken = judged.flatMap(({ anomaly, isPromised }) =>
      isPromised && anomaly !== undefined ? [anomaly] : [],
    )
    violations.push(...broken.slice(0, EXAMPLES_MAX))
  }
  return { violations, facts }
}

/** Undefined: no client of the group shares keys. */
function questionsOf(
  name: string,
  { clients }: Topology,
  { questions }: Heard,
): readonly Question[] | undefined {
  const sharing = clients.filter(({ group, operation }) => group === name && operation === 'shared')
  const names = new Set(sharing.map((client) => client.name))
  return names.size === 0 ? undefined : questions.filter(({ client }) => names.has(client))
}

/**
 * One node was asked for all of it, and was a master that went on from the first question to the last answer.
 * Whatever is promised beyond that, it cannot contradict itself.
 */
function isOneLife({ operations }: SharedHistory, lifelines: Lifelines, endMs: number): boolean {
  const [only = '', ...others] = new Set(operations.map(({ node }) => node))
  if (others.length > 0) return false
  const fromMs = Math.min(...operations.map(({ askedAtMs }) => askedAtMs))
  const lastMs = Math.max(
    ...operations.map(({ answeredAtMs, askedAtMs }) => answeredAtMs ?? askedAtMs),
  )
  // The last look comes after the end, when nothing happens to nodes any more.
  const untilMs = Math.min(lastMs, endMs)
  const { roles, restarts } = lifelines.of(only)
  return (
    roles.some(({ role, ...span }) => {
      return role.kind === 'master' && span.fromMs <= fromMs && span.untilMs >= untilMs
    }) && restarts.every(({ downAtMs, upAtMs }) => upAtMs < fromMs || downAtMs > untilMs)
  )
}

interface HistoryVerdict {
  readonly kind: LinearVerdict['kind']
  readonly anomaly: Violation | undefined
}

function factsOf(verdicts: readonly HistoryVerdict[]): SharedFacts {
  const count = (wanted: LinearVerdict['kind']): number =>
    verdicts.filter(({ kind }) => kind === wanted).length
  return {
    histories: verdicts.length,
    anomalies: count('broken'),
    undecided: count('undecided'),
  }
}

function verdictOn({ keys, operations }: SharedHistory): HistoryVerdict {
  const verdict = findLinearOrder(operations)
  if (verdict.kind !== 'broken') return { kind: verdict.kind, anomaly: undefined }
  const { operation, state } = verdict
  const there = keys.map((key) => `${key} ${describeTold(state.get(key) ?? null)}`)
  const text = `${describe(operation)}. Before it, in the order that goes furthest, there was ${there.join(', ')}`
  return {
    kind: 'broken',
    anomaly: { atMs: operation.answeredAtMs ?? operation.askedAtMs, checker: CHECKER, text },
  }
}

function describe({ client, node, commands, answers, askedAtMs }: LinearOperation): string {
  const words = commands.map((argv) => argv.join(' ')).join('; ')
  const told = commands.length === 1 ? answers?.[0] : answers
  return `${client} asked ${node} for ${words} at ${formatDuration(askedAtMs)} and was told ${describeTold(told)}, which no order explains`
}

/** What the last master holds at every key, as if a client had asked. */
async function lastLooks(
  world: World,
  group: string,
  master: string | undefined,
  asked: readonly Question[],
): Promise<readonly Question[]> {
  if (master === undefined) return []
  const keys = new Set(asked.flatMap(({ request }) => request.commands.map(([, key = '']) => key)))
  const attemptedAtMs = await world.runUntil(0)
  const looks: Question[] = []
  for (const key of keys) {
    const command = lookAtShared(key)
    const reply = await world.ask(master, command)
    if (reply === undefined) return looks
    const answer = { atMs: await world.runUntil(0), told: plainOf(reply) }
    looks.push(lookOf(group, master, command, { attemptedAtMs, answer }))
  }
  return looks
}

function lookOf(
  group: string,
  node: string,
  command: Argv,
  when: Pick<Question, 'attemptedAtMs' | 'answer'>,
): Question {
  const request = { commands: [command], form: 'command' } as const
  return { client: LAST_LOOK, group, node, connection: 0, request, write: undefined, ...when }
}
