/** The stories of all clients that work on databases of their own, and what the nodes hold in the end. */
import type { Span } from '../../history/data/holdings.ts'
import { lookAround } from '../../history/data/requests.ts'
import { databasesOf, type Topology } from '../../history/topology.ts'
import { BESIDE, LISTENING, type Question, type Write } from '../../history/writes.ts'
import { plainOf } from '../../resp/plain.ts'
import { Lifelines } from '../facts/lifelines.ts'
import type { Violation } from '../result.ts'
import type { RunHistory, World } from '../world.ts'
import { DataStory, type StoryStart } from './data-story.ts'

export interface DataVerdict {
  readonly violations: readonly Violation[]
  /** Acknowledged writes that the last master of each group does not have. */
  readonly missing: ReadonlyMap<string, ReadonlySet<Write>>
}

type Heard = Pick<RunHistory, 'happenings' | 'questions' | 'nameOf' | 'endMs'>

/** `masters`: the last master of each group. It is asked, and every other process keeps running. */
export async function judgeData(
  world: World,
  topology: Topology,
  history: Heard,
  masters: ReadonlyMap<string, string>,
): Promise<DataVerdict> {
  const violations: Violation[] = []
  const missing = new Map<string, Set<Write>>()
  for (const { name, group, operation, hasProxy } of topology.clients) {
    if (operation !== 'data') continue
    const story = new DataStory({
      questions: history.questions.filter(({ client, connection }) => {
        return client === name && connection !== LISTENING
      }),
      endMs: history.endMs,
      ...(hasProxy === true ? behindProxy(history, group, topology) : straight(history)),
      clocksFailAtMs: clocksFailAtMs(group, topology, history),
    })
    const master = masters.get(group)
    const look = master === undefined ? undefined : await lookAt(world, topology, name, master)
    const lost = look === undefined ? undefined : story.missingIn(look)
    if (lost !== undefined) missing.set(group, new Set([...(missing.get(group) ?? []), ...lost]))
    violations.push(...story.violations)
  }
  return { violations, missing }
}

type Doubts = Pick<StoryStart, 'mayHaveChanged' | 'mayKeepDead' | 'mayBeFull'>

/** A connection leads to one node, and ends with it. */
function straight(history: Heard): Doubts {
  const lifelines = new Lifelines(history)
  const holds = heldSpans(history)
  const fullFrom = filledFrom(history)
  const wasReplica = (node: string, span: Span) => isReplicaIn(lifelines, node, span)
  return {
    mayHaveChanged: wasReplica,
    mayKeepDead: (node, span) => wasReplica(node, span) || isIn(span, holds.get(node) ?? []),
    mayBeFull: (node, { untilMs }) => (fullFrom.get(node) ?? Infinity) <= untilMs,
  }
}

/** The proxy believes a majority for so long, and the hello that tells it of a change may be late. */
const PROXY_BELIEF_MS = 10_000

/**
 * A connection to a proxy outlives masters, and the process of a master. While no node of the group dies or
 * changes its role it leads to one of them.
 */
function behindProxy(history: Heard, group: string, { nodes }: Topology): Doubts {
  const members = new Set(nodes.filter((node) => node.group === group).map(({ name }) => name))
  const holds = [...heldSpans(history)].flatMap(([node, spans]) => (members.has(node) ? spans : []))
  const fullFrom = [...filledFrom(history)].flatMap(([node, atMs]) => {
    return members.has(node) ? [atMs] : []
  })
  const turns = history.happenings.filter(({ kind, process = '' }) => {
    return (kind === 'role' || kind === 'status') && members.has(process)
  })
  const hasTurned = (_node: string, { fromMs, untilMs }: Span) =>
    turns.some(({ atMs }) => atMs >= fromMs - PROXY_BELIEF_MS && atMs <= untilMs)
  return {
    mayHaveChanged: hasTurned,
    mayKeepDead: (node, span) => hasTurned(node, span) || isIn(span, holds),
    mayBeFull: (_node, { untilMs }) => Math.min(...fullFrom) <= untilMs,
  }
}

/** What a node holds for a client, as if the client had asked. */
async function lookAt(
  world: World,
  topology: Topology,
  client: string,
  node: string,
): Promise<Question | undefined> {
  const [home, second] = databasesOf(topology, client)
  const request = lookAround(home, second)
  const before = [['SELECT', `${home}`], ['MULTI'], ...request.commands]
  const attemptedAtMs = await world.runUntil(0)
  const reply = await world.ask(node, ['EXEC'], before)
  if (reply === undefined) return undefined
  const answer = { atMs: await world.runUntil(0), told: plainOf(reply) }
  const group = topology.clients.find(({ name }) => name === client)?.group ?? ''
  return {
    client,
    group,
    node,
    connection: BESIDE,
    request,
    attemptedAtMs,
    write: undefined,
    answer,
  }
}

function isReplicaIn(lifelines: Lifelines, node: string, span: Span): boolean {
  return lifelines.of(node).roles.some(({ role, fromMs, untilMs }) => {
    return role.kind === 'replica' && fromMs <= span.untilMs && untilMs >= span.fromMs
  })
}

function isIn({ fromMs, untilMs }: Span, spans: readonly Span[]): boolean {
  return spans.some((span) => span.fromMs <= untilMs && span.untilMs >= fromMs)
}

/** Until a node has taken away what died while it held writes back. */
const CLEARED_MS = 1_000

/** When each node held writes back, and a moment longer: meanwhile nothing expires there. */
function heldSpans({ happenings, endMs }: Heard): ReadonlyMap<string, readonly Span[]> {
  const spans = new Map<string, { fromMs: number; untilMs: number }[]>()
  for (const what of happenings) {
    const { process = '', atMs } = what
    const own = spans.get(process) ?? []
    const last = own.at(-1)
    const isOver = what.kind === 'status' && what.status === 'down'
    if (what.kind === 'writesHeld' && what.isHeld) {
      spans.set(process, [...own, { fromMs: atMs, untilMs: endMs }])
    } else if ((isOver || what.kind === 'writesHeld') && last?.untilMs === endMs) {
      last.untilMs = atMs + CLEARED_MS
    }
  }
  return spans
}

/** When the memory of each node was filled, or its limit was changed, for the first time. */
function filledFrom({ happenings }: Heard): ReadonlyMap<string, number> {
  const from = new Map<string, number>()
  for (const what of happenings) {
    const action = what.kind === 'fault' ? what.action : undefined
    const isOrder = action?.kind === 'command' && action.argv[0]?.toUpperCase() === 'CONFIG'
    if (action === undefined || (action.kind !== 'memoryUse' && !isOrder)) continue
    if (!from.has(action.process)) from.set(action.process, what.atMs)
  }
  return from
}

/** From the first time on that the clock of one of the group's nodes is set wrong. */
function clocksFailAtMs(group: string, { nodes }: Topology, { happenings }: Heard): number {
  const members = new Set(nodes.filter((node) => node.group === group).map(({ name }) => name))
  const first = happenings.find((happening) => {
    if (happening.kind !== 'fault' || happening.action === undefined) return false
    const { action } = happening
    const isOfClock = action.kind === 'clockJump' || action.kind === 'clockDrift'
    return isOfClock && members.has(action.process)
  })
  return first?.atMs ?? Number.POSITIVE_INFINITY
}
