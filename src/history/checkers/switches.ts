/**
 * `+switch-master` as clients live by it: each switch is told once, from a master that the Sentinel has named
 * before to another one, and every subscriber hears of all of them in the same order.
 */
import type { Address } from '../../base/ip.ts'
import { eventWords, type Happening } from '../happening.ts'
import type { Checker } from './checker.ts'
import { forgetProcess, placeOf, readSubject } from './sentinel-past.ts'

type Told = Happening & { readonly kind: 'switchTold' }

/** One Sentinel and one group, since the Sentinel came up. */
interface Story {
  /** Every master that it has named. */
  readonly named: Set<string>
  /** All switches, in order, as `from > to`. */
  readonly switches: string[]
  /** By subscriber: how many of the switches it has been told. */
  readonly heard: Map<number, number>
}

export function switchesAreTold(): Checker {
  const stories = new Map<string, Story>()
  return {
    name: 'each switch is told once and in order',
    observe: (happening) => {
      const { process = '' } = happening
      if (happening.kind === 'status' && happening.status === 'down')
        forgetProcess(stories, process)
      if (happening.kind === 'view')
        noteView(storyOf(stories, process, happening.group), happening.master)
      // An operator names the master of a group that is added: a switch may follow in the same moment.
      const added = happening.kind === 'event' && happening.name === '+monitor'
      const subject = added ? readSubject(happening.payload) : undefined
      if (subject !== undefined) noteView(storyOf(stories, process, subject.group), subject.address)
      if (happening.kind === 'switchTold')
        return faultIn(storyOf(stories, process, happening.group), happening)
      if (happening.kind !== 'event' || happening.name !== '+switch-master') return undefined
      const words = eventWords('+switch-master', happening.payload)
      if (words === undefined) return undefined
      const { group, oldHost, oldPort, newHost, newPort } = words
      const from = placeOf({ host: oldHost, port: Number(oldPort) })
      const to = placeOf({ host: newHost, port: Number(newPort) })
      return noteSwitch(storyOf(stories, process, group), from, to)
    },
  }
}

function storyOf(stories: Map<string, Story>, process: string, group: string): Story {
  const key = `${process} ${group}`
  const known = stories.get(key) ?? {
    ...{ named: new Set<string>(), switches: [], heard: new Map<number, number>() },
  }
  stories.set(key, known)
  return known
}

function noteView(story: Story, master: Address): void {
  story.named.add(placeOf(master))
}

function noteSwitch(story: Story, from: string, to: string): string | undefined {
  story.switches.push(`${from} > ${to}`)
  // Real processes are asked who the master is now and then: the first answer may come from after the switch.
  const isFirst = story.switches.length === 1 && story.named.size === 1 && story.named.has(to)
  const isNamed = story.named.size === 0 || story.named.has(from) || isFirst
  story.named.add(to)
  if (from === to) return `a switch from ${from} to itself is told`
  return isNamed ? undefined : `a switch from ${from} is told, which was never named as the master`
}

/** The log has a switch before the subscribers do. */
function faultIn(story: Story, { process = '', client, from, to }: Told): string | undefined {
  const text = `${placeOf(from)} > ${placeOf(to)}`
  const heard = story.heard.get(client)
  const at = heard ?? story.switches.length - 1
  story.heard.set(client, at + 1)
  if (story.switches[at] === text) return undefined
  return `${process} tells a subscriber ${text} where the switch was ${story.switches[at] ?? 'none'}`
}
