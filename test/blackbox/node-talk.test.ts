/** What is noted of the INFOs of a Sentinel with many links, from steps that are made by hand. */
import { expect, test } from 'vitest'
import { NodeTalk } from '../../src/blackbox/incident/node-talk.ts'
import type { PlayedStep } from '../../src/blackbox/player.ts'

const LINKS = Array.from({ length: 1_000 }, (_, at) => at)

class CountedMap extends Map<number, object> {
  looks = 0
  override get(id: number): object | undefined {
    this.looks += 1
    return super.get(id)
  }
}

/** `pending`: how many commands of each link wait for an answer behind this step. */
function noted(talk: NodeTalk, monoMs: number, pending: number, told: object): CountedMap {
  const owners = [{ kind: 'master', host: '10.0.0.1', port: 6379 }]
  const connections = new CountedMap(LINKS.map((id) => [id, { id, link: { owners }, pending }]))
  const step = { state: { connections }, now: { monoMs, wallMs: 0 }, effects: [], ...told }
  talk.note(step as unknown as PlayedStep)
  return connections
}

test('an INFO is tied to its answer, and a link without an open INFO is not looked at in every step', () => {
  const talk = new NodeTalk()
  const purpose = { kind: 'info' }
  const wake = { kind: 'wakeUp' }
  for (const link of LINKS) {
    const effects = [{ kind: 'send', link, purpose, argv: ['INFO'] }]
    noted(talk, link, 1, { event: wake, effects })
  }
  for (const link of LINKS) {
    const bytes = `run_id:${'a'.repeat(40)}\r\nserver_time_usec:${link + 1}000\r\n`
    const reply = { kind: 'bulk', bytes }
    noted(talk, 5_000 + link, 1, { event: { kind: 'reply', link, purpose, reply } })
  }
  const times = talk.clocks.map(({ sentAtMs, answeredAtMs }) => answeredAtMs - sentAtMs)
  expect(times).toEqual(LINKS.map(() => 5_000))
  expect(noted(talk, 9_000, 0, { event: wake }).looks).toBe(0)
})
