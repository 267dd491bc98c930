/** What records tell beside the course of events: which Sentinels were cut off, and whether some still reached the master. */
import { wordList } from '../../base/word-list.ts'
import { secondsText } from '../../scenario/duration.ts'
import { type ChainSentence, link, type Story } from './chain-words.ts'

interface Remark {
  readonly process: string
  readonly fromMs: number
  readonly untilMs: number
  readonly text: string
}

export function tellRemarks(story: Story): ChainSentence[] {
  const { incident, file } = story
  const remarks = remarksIn(story)
  const sentinels = new Set(file.topology.sentinels.map(({ name }) => name))
  const lonely = remarks.filter(({ process }) => sentinels.has(process))
  const ofMaster = remarks.filter(
    ({ process, text }) => process === incident.master && text.endsWith(' only'),
  )
  return [
    ...tellLonely(lonely, incident.startMs),
    ...ofMaster.map((one) => tellReached(one, story)),
  ]
}

function tellLonely(lonely: readonly Remark[], startMs: number): ChainSentence[] {
  const [first] = lonely
  if (first === undefined) return []
  const who = lonely.map(({ process, untilMs }) => `${process} (until ${secondsText(untilMs)})`)
  const atMs = Math.max(startMs, Math.min(...lonely.map(({ fromMs }) => fromMs)))
  return [
    link(atMs, `No majority of the Sentinels is in reach of ${wordList(who)}.`, first.process),
  ]
}

/** A master that is down for the majority and answers beside it: its clients may not have noticed. */
function tellReached(
  { process, text, fromMs, untilMs }: Remark,
  { incident }: Story,
): ChainSentence {
  const risk = text.startsWith('answers')
    ? ': clients on that side may have gone on writing to it'
    : ''
  const until = secondsText(untilMs)
  return link(
    Math.max(incident.startMs, fromMs),
    `${process} ${text}, until ${until}${risk}.`,
    process,
  )
}

/** Those that reach into the time from the first suspicion to the promotion, or to the recovery. */
function remarksIn({ incident, history }: Story): readonly Remark[] {
  const { startMs, promotion, recoveredAtMs } = incident
  const endMs = promotion?.atMs ?? recoveredAtMs ?? history.endMs
  const open = new Map<string, { readonly atMs: number; readonly text: string }>()
  const remarks: Remark[] = []
  const close = (process: string, untilMs: number): void => {
    const begun = open.get(process)
    open.delete(process)
    if (begun === undefined || begun.atMs > endMs || untilMs <= startMs) return
    remarks.push({ process, fromMs: begun.atMs, untilMs, text: begun.text })
  }
  for (const one of history.happenings) {
    if (one.kind !== 'remark' || one.process === undefined) continue
    close(one.process, one.atMs)
    if (one.text !== undefined) open.set(one.process, { atMs: one.atMs, text: one.text })
  }
  for (const process of [...open.keys()]) close(process, history.endMs)
  return remarks
}
