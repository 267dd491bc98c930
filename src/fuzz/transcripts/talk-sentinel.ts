/** A Sentinel without a world around it, which watches a master out of reach: it is told commands. */
import { createRng } from '../../base/rng.ts'
import { parseSentinelConf } from '../../config/sentinel-conf.ts'
import type { Effect } from '../../core/effect.ts'
import type { Event } from '../../core/event.ts'
import { startSentinel } from '../../core/sentinel.ts'
import type { State } from '../../core/state.ts'
import { step } from '../../core/step.ts'
import { encodeReply } from '../../resp/encode.ts'
import { replySlices } from './reply-slices.ts'
import { pipelineOf, type Transcript } from './transcript.ts'

const CLIENT = 1
const ENDS = { address: '127.0.0.1:50000', localAddress: '127.0.0.1:26379' }
/** As the redis-sentinel was started. */
export const NOBODY_WATCHED = 'sentinel monitor mymaster 127.0.0.1 1 2'

/** Everything a new Sentinel answers to the commands, reply by reply. */
export function talkToSentinel(transcript: Transcript): readonly string[] {
  const now = { monoMs: 1_000, wallMs: transcript.atMs }
  const parsed = parseSentinelConf(`port 26379\n${NOBODY_WATCHED}`, 'sentinel.conf', [])
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  const start = { config: parsed.value.core, saved: undefined, rng: createRng('talk'), now }
  const { state, effects } = startSentinel(start)
  const events: Event[] = [
    ...eventsAfter(effects),
    { kind: 'clientOpened', client: CLIENT, ...ENDS },
    { kind: 'received', client: CLIENT, bytes: pipelineOf(transcript) },
  ]
  return replySlices(answerTo(events, state, now))
}

function answerTo(events: Event[], state: State, now: { monoMs: number; wallMs: number }): string {
  let answer = ''
  for (let event = events.shift(); event !== undefined; event = events.shift()) {
    const effects = step(state, now, event)
    for (const effect of effects) {
      const isOurs = effect.kind === 'respond' && effect.client === CLIENT
      if (isOurs) answer += encodeReply(effect.reply, effect.protocol)
    }
    events.unshift(...eventsAfter(effects))
  }
  return answer
}

/** The disk takes everything at once, and so does the client; nothing else answers. */
function eventsAfter(effects: readonly Effect[]): Event[] {
  return effects.flatMap((effect): Event[] => {
    if (effect.kind === 'awaitDrain') return [{ kind: 'drained', client: effect.client }]
    if (effect.kind !== 'save') return []
    effect.state()
    return [{ kind: 'saved' }]
  })
}
