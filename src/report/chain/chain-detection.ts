/** What broke, which Sentinels noticed, and which agreed. */
import { wordList } from '../../base/word-list.ts'
import { formatDuration } from '../../scenario/duration.ts'
import { hindranceOf } from './chain-states.ts'
import {
  type ChainSentence,
  electorateOf,
  groupOf,
  link,
  type Story,
  sinceCause,
} from './chain-words.ts'
import type { Noticed, Suspicion } from './incidents.ts'

export function tellCause({ incident, cause, history }: Story): ChainSentence[] {
  const { master, group, suspicions, startMs } = incident
  if (cause !== undefined) {
    const effect =
      cause.effect === undefined ? '' : ` The master of ${group}, ${master}, ${cause.effect}.`
    const isOrder = suspicions.length === 0
    const what = isOrder ? 'An operator asked for it' : 'What broke'
    return [link(cause.atMs, `${what}: ${cause.text}.${effect}`, master)]
  }
  const hasFaults = history.happenings.some((one) => one.kind === 'fault' && one.atMs <= startMs)
  const text = hasFaults
    ? `Nothing that was done to the cluster by now touches ${master}; it was suspected all the same.`
    : `Nothing had been done to the cluster by now.`
  return [link(startMs, text, master)]
}

export function tellNoticed(story: Story): ChainSentence[] {
  const { suspicions, master } = story.incident
  const [first, ...others] = suspicions
  if (first === undefined) return []
  const downAfterMs = groupOf(story)?.downAfterMs
  const why = first.reason === undefined ? undefined : whyIn(first.reason)
  // The other reasons have limits of their own.
  const isLimit = downAfterMs !== undefined && (why === undefined || why.kind === 'silence')
  const limit = isLimit ? ` (down-after is ${formatDuration(downAfterMs)})` : ''
  const because = why === undefined ? '' : `, because ${why.words}`
  const after = sinceCause(first.atMs, story)
  const text = `${first.sentinel} is the first to hold ${master} down${after}${limit}: +sdown${because}.${followers(first, others)}${otherReasons(first, others)}`
  return [link(first.atMs, text, first.sentinel)]
}

/** Sentinels that saw something else than the first one. */
function otherReasons(first: Suspicion, others: readonly Suspicion[]): string {
  if (first.reason === undefined) return ''
  const { kind } = whyIn(first.reason)
  const told = others.flatMap(({ sentinel, reason }) => {
    const why = reason === undefined ? undefined : whyIn(reason)
    return why === undefined || why.kind === kind ? [] : [` ${sentinel} says that ${why.words}.`]
  })
  return told.join('')
}

interface Why {
  readonly kind: string
  /** About the master, after `because`. */
  readonly words: string
}

/** What each reason of +sdown-evidence means; others speak for themselves. */
const REASONS: readonly {
  readonly kind: string
  readonly pattern: RegExp
  readonly words: (found: readonly string[]) => string
}[] = [
  {
    kind: 'silence',
    pattern:
      /^no valid reply for (\d+) ms(?:, of which we were late ourselves for (\d+) ms)?(, no connection)?$/,
    words: ([, silentMs, lateMs, isCut]) =>
      `it did not answer PING for ${lasted(silentMs)}${isCut === undefined ? '' : ' and was not connected'}${lateMs === undefined ? '' : ` (the Sentinel itself was late for ${lasted(lateMs)} of it)`}`,
  },
  {
    kind: 'refused',
    pattern:
      /^connections refused for (\d+) ms, as (\d+) Sentinels see it \(quorum (\d+)\), and lost by (\d+) of (\d+) replicas$/,
    words: ([, refusedMs, sentinels, quorum, lost, replicas]) =>
      `its host had refused connections for ${lasted(refusedMs)}, which ${sentinels} Sentinels saw (${quorum} are needed), and ${lost} of ${replicas} replicas had lost it: no process listened there`,
  },
  {
    kind: 'gray',
    pattern: /^refuses writes for (\d+) ms: (.*)$/s,
    words: ([, refusedMs, found]) =>
      `it had answered PING and refused writes for ${lasted(refusedMs)}: it ${found}`,
  },
  {
    kind: 'empty',
    pattern: /^came back without its data: (.*)$/s,
    words: ([, found]) => `it came back without its data: ${found}`,
  },
]

function whyIn(reason: string): Why {
  for (const { kind, pattern, words } of REASONS) {
    const found = pattern.exec(reason)
    if (found !== null) return { kind, words: words([...found]) }
  }
  return { kind: reason.split(' ').slice(0, 2).join(' '), words: `it ${reason}` }
}

function lasted(ms: string | undefined): string {
  return formatDuration(Number(ms ?? 0))
}

function followers(first: Noticed, others: readonly Noticed[]): string {
  const delays = new Map<number, string[]>()
  for (const { sentinel, atMs } of others) {
    const same = delays.get(atMs - first.atMs) ?? []
    delays.set(atMs - first.atMs, [...same, sentinel])
  }
  if (delays.size === 0) return ''
  const parts = [...delays].map(([ms, who]) => {
    return `${wordList(who)} ${ms === 0 ? 'in the same moment' : `${formatDuration(ms)} later`}`
  })
  return ` Then ${parts.join(', then ')}.`
}

/** Agreement takes a round trip; more than this needs an explanation. */
const SLOW_MS = 1_000

export function tellAgreement(story: Story): ChainSentence[] {
  const { incident, file, history } = story
  const [first, ...others] = incident.agreements
  if (first === undefined) return []
  const { agreeing, needed, atMs, sentinel } = first
  const count =
    needed === 0
      ? 'Enough of them agree'
      : `${agreeing} of ${electorateOf(story).known} Sentinels agree, and the quorum is ${needed}`
  const rest = others.length === 0 ? '' : `, then at ${wordList(others.map((one) => one.sentinel))}`
  const delay = wordDelay(incident.startMs, atMs, { file, history })
  return [link(atMs, `${count}: +odown at ${sentinel}${rest}.${delay}`, sentinel)]
}

function wordDelay(
  fromMs: number,
  atMs: number,
  { file, history }: Pick<Story, 'file' | 'history'>,
): string {
  if (atMs - fromMs <= SLOW_MS) return ''
  const absent = file.topology.sentinels.flatMap(({ name }) => {
    const hindrance = hindranceOf(name, fromMs, history)
    return hindrance === undefined ? [] : [`${name} ${hindrance}`]
  })
  const why = absent.length === 0 ? '' : ` when it began, ${wordList(absent)}.`
  return ` It took ${formatDuration(atMs - fromMs)} to agree${why === '' ? '.' : `:${why}`}`
}

/** The master has recovered, without a failover. */
export function tellRecovery({ incident }: Story): ChainSentence[] {
  const { recoveredAtMs, promotion, master, startMs } = incident
  if (recoveredAtMs === undefined || promotion !== undefined) return []
  const length = formatDuration(recoveredAtMs - startMs)
  const text = `After ${length} no Sentinel suspects ${master} any more: it stays the master.`
  return [link(recoveredAtMs, text, master)]
}
