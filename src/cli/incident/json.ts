/** An incident for scripts. */
import { clockTime } from '../replay/words.ts'
import { eventsOf, type IncidentStory, type ShownIncident } from './text.ts'

export function incidentJson({ nameOf, ties, stories }: ShownIncident): object {
  return {
    incidents: stories.map(storyJson),
    clocks: [...ties].map(([{ myid }, { aheadMs, withinMs }]) => {
      return { sentinel: nameOf(myid), aheadMs, withinMs: withinMs ?? null }
    }),
  }
}

function storyJson(story: IncidentStory): object {
  const { chapter, run } = story
  const time = (atMs: number) => clockTime(run.zeroMs + atMs)
  return {
    title: chapter.title,
    from: time(chapter.fromMs),
    until: time(chapter.untilMs),
    sentences: chapter.links.map(({ atMs, process, text }) => ({
      at: atMs === undefined ? null : time(atMs),
      process: process ?? null,
      text,
    })),
    events: eventsOf(story).map(({ atMs, process, text }) => {
      return { at: time(atMs), sentinel: process, event: text }
    }),
  }
}
