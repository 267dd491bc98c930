/** Peers on a stage that can hold a pause, and an operator who waits for the answer to an order. */
import { NEVER_PAUSED, readPauseWords, type ToldPause } from '../../src/core/pause/pause-record.ts'
import { encodeCommand } from '../../src/resp/encode.ts'
import { array, bulk, OK, type Reply } from '../../src/resp/reply.ts'
import type { SentinelStage } from './sentinel-stage.ts'

/** A peer that holds what it was told last, and answers FORGET with yes; returns what it holds. */
export function canPause(stage: SentinelStage, name: string): { held: ToldPause } {
  const memory = { held: { ...NEVER_PAUSED, leftMs: 0 } as ToldPause }
  let toldAtMs = 0
  const part = stage.part(name)
  const before = part.says
  part.counsel = { refused: false, granted: true, epoch: 0 }
  part.says = (argv) => {
    if (argv[1] === 'FORGET' || argv[1] === 'BY-HAND') return OK
    if (argv[1] !== 'SHARE-PAUSE') return before(argv)
    const told = readPauseWords(argv.slice(3))
    if (told !== undefined && told.number > memory.held.number) {
      memory.held = told
      toldAtMs = stage.ms
    }
    const leftMs = Math.max(0, memory.held.leftMs - (stage.ms - toldAtMs))
    return shareReply({ ...memory.held, leftMs })
  }
  return memory
}

export function shareReply(held: ToldPause, isBusy = false): Reply {
  const { number, kind, origin, leftMs, isSure, by, reason } = held
  const words = [String(number), kind, origin, String(leftMs), isSure ? '1' : '0', by, reason]
  return array([...words, isBusy ? '1' : '0'].map(bulk))
}

let operators = 1_000_000

/** Gives an order and lets time pass until it is answered; returns the text of the answer. */
export function order(stage: SentinelStage, line: string, patienceMs = 3_000): string {
  const answerOf = giveOrder(stage, line)
  for (let waitedMs = 0; waitedMs < patienceMs; waitedMs++) {
    const answer = answerOf()
    if (answer !== undefined) return answer
    stage.run(1)
  }
  throw new Error(`no answer to ${line}`)
}

/** Gives an order; what comes back tells the text of the answer, once there is one. */
export function giveOrder(stage: SentinelStage, line: string): () => string | undefined {
  const client = ++operators
  const address = `10.9.0.7:${client % 60_000}`
  stage.feed({ kind: 'clientOpened', client, address, localAddress: '10.1.0.9:26379' })
  const from = stage.done.length
  stage.feed({ kind: 'received', client, bytes: encodeCommand(line.split(' ')) })
  return () => {
    const answers = stage.done.slice(from).flatMap((one) => {
      return one.kind === 'respond' && one.client === client ? [one.reply] : []
    })
    const [answer] = answers
    if (answer === undefined) return undefined
    return 'text' in answer ? String(answer.text) : answer.kind
  }
}

/** A peer tells us of an order. */
export function tell(stage: SentinelStage, held: Partial<ToldPause>): Reply {
  const origin = 'b'.repeat(40)
  const usual = { kind: 'pause', origin, leftMs: 600_000, isSure: true, by: 'x@h', reason: '' }
  const { number, kind, ...rest } = { ...usual, number: 1, ...held }
  const words = [rest.origin, String(rest.leftMs), rest.isSure ? '1' : '0', rest.by, rest.reason]
  return stage.ask('SENTINEL', 'SHARE-PAUSE', 'g', String(number), kind, ...words)
}
