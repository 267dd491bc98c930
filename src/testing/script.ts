/**
 * Scripts in the words of scenario files, played on a cluster: the same parser finds their mistakes, and each action
 * is one that a test could have done by hand. What a cluster in a test cannot do is refused before anything is done.
 */
import { type Action, renamed } from '../history/action.ts'
import { ACTION_SCHEMAS } from '../scenario/language/actions.ts'
import { isRole } from '../scenario/language/roles.ts'
import { parseScenario } from '../scenario/parse.ts'
import type { Condition, Step } from '../scenario/scenario-file.ts'
import type { ClusterEvent, Member, Partition, PlayedScript, ScriptStep, Slowness } from './api.ts'
import type { ClusterClock } from './cluster-clock.ts'
import type { ManagedGroup } from './parts.ts'
import type { ClusterUntil } from './until.ts'

/** What a script needs of a cluster. */
export interface ScriptStage {
  readonly clock: ClusterClock
  readonly until: ClusterUntil
  readonly members: readonly Member[]
  readonly groups: readonly ManagedGroup[]
  readonly history: readonly ClusterEvent[]
  member(name: string): Member
  partition(partition: Partition): void
  slow(slowness: Slowness): void
  heal(): void
}

/** Throws a TypeError that names each mistake, before anything is done. */
export async function playScript(
  steps: readonly ScriptStep[],
  stage: ScriptStage,
): Promise<PlayedScript> {
  const parsed = stepsOf(steps, stage)
  const refused = parsed.flatMap((step, index) => {
    const reason = refusalOf(step)
    return reason === undefined ? [] : [`step ${index + 1}: ${reason}`]
  })
  if (refused.length > 0) throw new TypeError(refused.join('; '))
  return await new ScriptPlayer(stage).play(parsed)
}

/** The script as a scenario over this cluster: every member is a host of its own. */
function stepsOf(steps: readonly ScriptStep[], { members, groups }: ScriptStage): readonly Step[] {
  const nodes = groups.flatMap((group) => {
    const master = group.nodes[0]?.name
    return group.nodes.map(({ name }) => [
      name,
      name === master ? { host: name } : { host: name, 'replica-of': master },
    ])
  })
  const sentinels = members.filter(({ name }) => !nodes.some(([known]) => known === name))
  const document = {
    ...{ name: 'script', story: 'A script of a test.' },
    topology: {
      groups: Object.fromEntries(
        groups.map(({ name, nodes }) => [name, { master: nodes[0]?.name, quorum: 1 }]),
      ),
      nodes: Object.fromEntries(nodes),
      sentinels: Object.fromEntries(sentinels.map(({ name }) => [name, { host: name }])),
    },
    timeline: steps,
    expect: [{ settled: { within: '1s' } }],
  }
  const parsed = parseScenario(JSON.stringify(document), 'script')
  if (parsed.ok) return parsed.value.steps
  const texts = parsed.problems.map(
    ({ path, message, hint }) =>
      `${path}: ${message.replace(ALL_ACTIONS, DOABLE)}${hint === '' ? '' : ` (${hint})`}`,
  )
  throw new TypeError(texts.join('; '))
}

type ActionOf<Kind extends Action['kind']> = Extract<Action, { readonly kind: Kind }>

/** What a cluster in a test can do, by the kind of action. */
export const DOING: {
  readonly [Kind in Action['kind']]?: (stage: ScriptStage, action: ActionOf<Kind>) => void
} = {
  kill: (stage, { processes }) => each(stage, processes, (member) => member.kill()),
  pause: (stage, { processes }) => each(stage, processes, (member) => member.stop()),
  resume: (stage, { processes }) => each(stage, processes, (member) => member.resume()),
  start: (stage, { processes }) =>
    each(stage, processes, (member) => {
      if (member.status === 'down') member.restart()
    }),
  restart: (stage, { processes, disk }) =>
    each(stage, processes, (member) => {
      if (disk === 'empty') member.loseData()
      member.restart()
    }),
  stall: (stage, { processes, forMs }) => each(stage, processes, (member) => member.stall(forMs)),
  partition: (stage, { groups }) => {
    const named = groups.flat()
    const rest = stage.members.map(({ name }) => name).filter((name) => !named.includes(name))
    const sides = [...groups, rest].filter((side) => side.length > 0)
    for (const [index, from] of sides.entries()) {
      const to = sides.slice(index + 1).flat()
      if (to.length > 0) stage.partition({ from, to })
    }
  },
  cut: (stage, { from, to }) => stage.partition({ from, to, oneWay: true }),
  hold: (stage, { from, to }) => stage.partition({ from, to, oneWay: true }),
  heal: (stage) => stage.heal(),
  release: (stage) => stage.heal(),
  clockJump: (stage, { process, byMs }) => stage.member(process).clock.jump(byMs),
  diskFailure: (stage, { process }) => stage.member(process).fillDisk(),
  diskRepair: (stage, { process }) => stage.member(process).emptyDisk(),
}

/** The actions of scenario files, as the parser lists them, and those of a cluster. */
const ALL_ACTIONS = Object.keys(ACTION_SCHEMAS).join(', ')
const DOABLE = Object.keys(DOING).map(wordOf).join(', ')

function each(stage: ScriptStage, names: readonly string[], act: (member: Member) => void): void {
  for (const name of names) act(stage.member(name))
}

/** Undefined: it can be done. */
function refusalOf({ actions, when }: Step): string | undefined {
  const strange = actions.find(({ kind }) => DOING[kind] === undefined)
  if (strange !== undefined) {
    return `${wordOf(strange.kind)} cannot be done to a cluster in a test; there are ${DOABLE}`
  }
  if (when.kind === 'at' || isWaitable(when.condition)) return undefined
  return 'a script can wait for an event, for converged, or for a time'
}

/** As a step says it. */
export function wordOf(kind: string): string {
  return kind.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

function isWaitable({ claim }: Condition): boolean {
  return claim.kind === 'event' || claim.kind === 'converged'
}

class ScriptPlayer {
  readonly #stage: ScriptStage
  readonly #startMs: number
  readonly #labels = new Map<string, number>()
  /** Events before this one were there before the last step. */
  #heard: number

  constructor(stage: ScriptStage) {
    this.#stage = stage
    this.#startMs = stage.clock.nowMs
    this.#heard = stage.history.length
  }

  async play(steps: readonly Step[]): Promise<PlayedScript> {
    for (const step of steps) {
      await this.#reach(step)
      this.#heard = this.#stage.history.length
      if (step.label !== undefined) this.#labels.set(step.label, this.#stage.clock.nowMs)
      for (const action of step.actions) this.#perform(action, step.group)
    }
    return { labels: this.#labels }
  }

  async #reach({ when }: Step): Promise<void> {
    const { clock, until } = this.#stage
    if (when.kind === 'at') {
      const { label, offsetMs } = when.time
      const fromMs = label === undefined ? this.#startMs : (this.#labels.get(label) ?? 0)
      const leftMs = fromMs + offsetMs - clock.nowMs
      return leftMs > 0 ? until.pass(leftMs) : undefined
    }
    const { condition, withinMs, plusMs } = when
    if (condition.claim.kind === 'converged') await until.settled({ withinMs })
    else await until.true('the event of a script', () => this.#missing(condition), { withinMs })
    if (plusMs > 0) await until.pass(plusMs)
  }

  #missing({ claim }: Condition): string[] {
    if (claim.kind !== 'event') return []
    const { name, group, at, matching } = claim
    const isIt = (event: ClusterEvent) =>
      event.name === name &&
      (group === undefined || event.group === group) &&
      (at === undefined || at.includes(event.sentinel)) &&
      (matching === undefined || event.payload.includes(matching))
    return this.#stage.history.slice(this.#heard).some(isIt)
      ? []
      : [`${name} has not been announced`]
  }

  #perform(action: Action, group: string): void {
    const named = renamed(action, {
      process: (name) => this.#named(name, group),
      host: (name) => this.#named(name, group),
    })
    const act = DOING[named.kind] as ((stage: ScriptStage, action: Action) => void) | undefined
    act?.(this.#stage, named)
  }

  #named(name: string, group: string): string {
    if (!isRole(name)) return name
    const { groups } = this.#stage
    const own = groups.find((one) => one.name === group) ?? groups[0]
    if (name === 'the-master' && own !== undefined) return own.master.name
    throw new TypeError(`${name}: a script knows the-master and the names of members`)
  }
}
