/**
 * The cluster in sentences: what a tired person reads first. Every state has a sign and a word, so that
 * nothing is told by colour alone.
 */
import type { ShownGroup, ShownNode, ShownSentinel } from './views.ts'

/** How much a reader has to worry; the name of a class in style.css. */
export type Mood = 'good' | 'warn' | 'bad' | 'quiet'

export interface Headline {
  readonly mood: Mood
  readonly title: string
  readonly story: string
}

export const SIGN: Readonly<Record<Mood, string>> = { good: '✓', warn: '!', bad: '✗', quiet: '·' }

/** A data node knows itself alone, and a proxy only which node is the master. */
export function elsewhere(program: string): string {
  return program === 'vedette-proxy'
    ? 'This is a proxy: the page of each group is on its Sentinels.'
    : 'This is a data node: the page of its group is on its Sentinels.'
}

/** The worst that is true decides the title; the story says the rest. */
export function verdictOn(group: ShownGroup, tilt: boolean): Headline {
  const { mood, title } = titleOf(group, tilt)
  return { mood, title, story: [agreement(group), replicas(group), pause(group)].join(' ').trim() }
}

function titleOf(group: ShownGroup, tilt: boolean): { mood: Mood; title: string } {
  const master = addressOf(group.master)
  if (group.failover !== null) {
    const chosen = group.failover.candidate
    const to = chosen === null ? 'a replica is being chosen' : `${addressOf(chosen)} takes over`
    return { mood: 'bad', title: `Failover of ${master}: ${to}` }
  }
  if (group.status === 'odown') return { mood: 'bad', title: `The quorum sees ${master} down` }
  if (group.status === 'sdown') {
    return { mood: 'bad', title: `This Sentinel sees ${master} down; the quorum does not, yet` }
  }
  if (tilt)
    return {
      mood: 'warn',
      title: 'This Sentinel is in TILT: it trusts no clock and decides nothing',
    }
  if (!group.reachability.isQuorumReachable) {
    return { mood: 'bad', title: 'No failover is possible: too few Sentinels answer' }
  }
  if (group.paused !== null) return { mood: 'warn', title: 'Automatic failover is paused' }
  const ailing = group.nodes.map((node) => ({ node, state: nodeState(node) }))
  const [worst, ...others] = ailing.filter(({ state }) => state.mood !== 'good')
  if (worst !== undefined) {
    const more = others.length === 0 ? '' : `, and ${others.length} more`
    return { mood: 'warn', title: `${master} is master; ${ailmentOf(worst.node)}${more}` }
  }
  return { mood: 'good', title: `${master} is master, and all is well` }
}

/** What is wrong with a node, in a sentence that names it, unless it is the master, which has been named. */
function ailmentOf(node: ShownNode): string {
  if (node.refusal !== null) return node.refusal
  if (node.role === 'master') return `this Sentinel is ${nodeState(node).text} to it`
  return `${addressOf(node)} is ${nodeState(node).text}`
}

function agreement({ reachability, confirmed, quorum }: ShownGroup): string {
  const usable = `${reachability.usable} of ${count(reachability.known, 'Sentinel')} answer`
  const votes = Math.max(quorum, reachability.majority)
  const needs = `a failover takes ${quorum} that see the master down and ${count(votes, 'vote')}.`
  const known = confirmed.isMajority
    ? `${confirmed.by} of ${confirmed.of} name the same master.`
    : `Only ${confirmed.by} of ${confirmed.of} have lately named the same master.`
  return `${usable}; ${needs} ${known}`
}

function replicas(group: ShownGroup): string {
  const all = group.nodes.filter((node) => node.role === 'replica')
  if (all.length === 0)
    return 'There is no replica: if the master dies, nothing can take its place.'
  const lags = all.filter((node) => !node.isDown).flatMap(({ lagBytes }) => lagBytes ?? [])
  const most =
    lags.length === 0 ? '' : `; the furthest behind is ${bytes(Math.max(...lags))} behind`
  return `${count(all.length, 'replica')}${most}.`
}

function pause({ paused }: ShownGroup): string {
  if (paused === null) return ''
  const why = paused.reason === '' ? 'no reason was given' : `“${paused.reason}”`
  return `Automatic failover is paused until ${clock(paused.untilMs)} (${why}).`
}

/** A node's state in a sign and words. */
export function nodeState(node: ShownNode): { mood: Mood; text: string } {
  const why = node.outOfReach === null ? '' : `: ${node.outOfReach}`
  if (node.flags.includes('o_down')) return { mood: 'bad', text: `down, says the quorum${why}` }
  if (node.isDown) return { mood: 'bad', text: `down for this Sentinel${why}` }
  if (node.flags.includes('disconnected')) return { mood: 'warn', text: 'connecting' }
  if (node.refusal !== null) return { mood: 'warn', text: node.refusal }
  if (node.role === 'master') return { mood: 'good', text: 'master' }
  if (node.linkStatus === 'down') return { mood: 'warn', text: 'replica without its master' }
  return { mood: 'good', text: 'replica' }
}

export function sentinelState(sentinel: ShownSentinel): { mood: Mood; text: string } {
  if (sentinel.isSelf) return { mood: 'good', text: 'speaks here' }
  return sentinel.isDown
    ? { mood: 'bad', text: 'does not answer' }
    : { mood: 'good', text: 'answers' }
}

export function addressOf({
  host,
  port,
}: {
  readonly host: string
  readonly port: number
}): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`
}

/** Bytes as people read them. */
export function bytes(amount: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  const at = amount < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(amount) / 10))
  const figure = amount / 1024 ** at
  return `${at === 0 || figure >= 100 ? Math.round(figure) : figure.toFixed(1)} ${units[at]}`
}

/** How long, as people read it. */
export function span(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} min`
  return ms < 172_800_000
    ? `${Math.round(ms / 3_600_000)} h`
    : `${Math.round(ms / 86_400_000)} days`
}

/** The reader's own time of day. */
export function clock(ms: number): string {
  return new Date(ms).toLocaleTimeString(undefined, { hour12: false })
}

export interface GroupInMood {
  readonly group: ShownGroup
  readonly mood: Mood
}

/** So many links are seen at a glance, on a phone too. */
export const FEW_GROUPS = 12
const WORST_FIRST: readonly Mood[] = ['bad', 'warn', 'quiet', 'good']

/** A few as they are; of many, the one that is shown and the worst of the others. */
export function inSight(
  all: readonly GroupInMood[],
  shown: ShownGroup | undefined,
): readonly GroupInMood[] {
  if (all.length <= FEW_GROUPS) return all
  const ailing = WORST_FIRST.filter((mood) => mood !== 'good').flatMap((mood) =>
    all.filter((one) => one.mood === mood && one.group !== shown),
  )
  return [...all.filter(({ group }) => group === shown), ...ailing].slice(0, FEW_GROUPS)
}

/** `100 groups: 1 ✗, 2 !, 97 ✓` */
export function tally(all: readonly GroupInMood[]): string {
  const parts = WORST_FIRST.flatMap((mood) => {
    const many = all.filter((one) => one.mood === mood).length
    return many === 0 ? [] : [`${many} ${SIGN[mood]}`]
  })
  return `${count(all.length, 'group')}: ${parts.join(', ')}`
}
