/** Sentinel's events in plain words. The speaker is left out, because it stands beside the line. */
import { EVENTS, type HeardEvent, isEventName } from '../../core/event-table.ts'
import { eventWords } from '../../core/event-words.ts'

/** Words of the wire that differ from ours. */
const WORDS: Readonly<Record<string, string>> = { slave: 'replica', sentinel: 'Sentinel' }

/** `portOf` returns the port of a Sentinel by its run id, if it is known. */
export function explain(
  event: HeardEvent,
  text: string,
  portOf: (runId: string) => number | undefined,
): string {
  if (!isEventName(event)) return text
  if (EVENTS[event].says === '') return reasonIn(text)
  const [kind = '', , , port = ''] = text.split(' ')
  const told: Readonly<Record<string, string>> = eventWords(event, text) ?? {}
  const leader = told.leader ?? ''
  const words: Readonly<Record<string, string>> = {
    ...told,
    ...{ instance: `${inOurWords(kind)} ${port}`, port },
    leader: String(portOf(leader) ?? leader.slice(0, 8)),
  }
  return EVENTS[event].says.replace(/<(\w+)>/g, (_, word: string) => inOurWords(words[word] ?? ''))
}

/** `slave <name> <host> <port> @ … # <reason>`: the instance it is about, and why. */
function reasonIn(text: string): string {
  const [, kind = '', port = '', reason = ''] = /^(\S+) \S+ \S+ (\d+) .*?# (.*)$/.exec(text) ?? []
  return reason === '' ? text : `${inOurWords(kind)} ${port}: ${reason}`
}

function inOurWords(word: string): string {
  return WORDS[word] ?? word
}
