/** What was: the last hour as lanes, and the failovers as incidents in sentences. */
import type { FailoverHistory } from '../http/failover-history.ts'
import type { TimelineDocument } from '../http/timeline.ts'
import { byId, element, renew } from './dom.ts'
import { request } from './feed.ts'
import { drawLanes } from './lanes.ts'
import { clock, SIGN, span } from './sentences.ts'

type Incident = FailoverHistory['incidents'][number]

/** An older answer must not be drawn over a newer one, or over another group. */
let latest = 0

export async function drawHistory(group: string): Promise<void> {
  const own = ++latest
  const [timeline, history] = await Promise.all([
    read<TimelineDocument>('timeline'),
    read<{ readonly incidents: readonly Incident[] }>('history'),
  ])
  if (own !== latest) return
  if (timeline !== undefined) drawLanes(byId('lanes'), timeline, group)
  const incidents = (history?.incidents ?? []).filter((one) => one.group === group)
  renew(byId('incidents'), ...(incidents.length === 0 ? [NONE()] : incidents.map(told)))
}

/** Undefined: the server does not answer, which the page says elsewhere. */
async function read<Document>(path: string): Promise<Document | undefined> {
  try {
    const reply = await request(path)
    return reply.ok ? ((await reply.json()) as Document) : undefined
  } catch {
    return undefined
  }
}

const NONE = () => element('p', { class: 'quiet' }, 'None since this Sentinel started.')

function told(incident: Incident): HTMLElement {
  const { mood, title } = outcomeOf(incident)
  const when = new Date(incident.startedMs).toLocaleString(undefined, { hour12: false })
  return element(
    'article',
    { class: `incident ${incident.outcome}` },
    element('h3', { class: mood }, `${SIGN[mood]} ${title}`),
    element(
      'p',
      { class: 'quiet' },
      incident.incident === null ? when : `${when} · ${incident.incident}`,
    ),
    element('p', {}, phases(incident)),
  )
}

function outcomeOf({ outcome, from, to, reason }: Incident) {
  switch (outcome) {
    case 'switched':
      return { mood: 'good', title: `${to} took the place of ${from}` } as const
    case 'withdrawn':
      return { mood: 'quiet', title: 'The master answered again before anyone acted' } as const
    case 'aborted':
      return { mood: 'warn', title: `The failover was given up: ${reason}` } as const
    case 'open':
      return { mood: 'bad', title: 'Under way' } as const
  }
}

/** Each step with the time since the one before it. */
function phases(incident: Incident): string {
  const steps: readonly (readonly [string, number | null])[] = [
    ['missed', incident.noticedMs],
    ['the quorum agreed', incident.agreedMs],
    ['this Sentinel was elected', incident.electedMs],
    ['a replica was promoted', incident.promotedMs],
    ['clients were told', incident.switchedMs],
    ['over', incident.outcome === 'switched' ? null : incident.endedMs],
  ]
  let before: number | undefined
  const words = steps.flatMap(([name, atMs]) => {
    if (atMs === null) return []
    const after = before === undefined ? clock(atMs) : `+${span(atMs - before)}`
    before = atMs
    return [`${name} (${after})`]
  })
  return words.length === 0 ? 'No moment of it was announced here.' : `${words.join(', ')}.`
}
