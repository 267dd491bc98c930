/**
 * An order of an operator that this Sentinel carries out together with its peers: the client waits for
 * their answers. Only what all kinds of orders have in common stands here.
 */
import type { Reply } from '../../resp/reply.ts'
import type { ClientId } from '../ids.ts'
import type { PauseRecord } from './pause-record.ts'

/** How long the peers have to answer. A round trip and a save take milliseconds. */
export const ORDER_PATIENCE_MS = 1_000

export interface OperatorOrder {
  readonly client: ClientId
  /** The name of the group. */
  readonly group: string
  readonly task: OrderTask
  /** The run ids of the peers that owe us an answer, and of those that agreed, in this phase. */
  readonly waiting: Set<string>
  readonly agreed: Set<string>
  /** What peers refused, in words for the operator. */
  readonly refusals: string[]
  /** What is worth telling the operator besides the outcome. */
  readonly remarks: Set<string>
  untilMs: number
  /** Set once it is over: what the client is told. */
  reply: Reply | undefined
}

export type OrderTask = PauseTask | ForgetTask

export interface PauseTask {
  readonly kind: 'pause' | 'resume'
  /**
   * `ask`: which orders do the others know? Only if a majority answers is a pause ordered at all: one
   * that is refused must leave no number behind. `give`: they are told.
   */
  phase: 'ask' | 'give'
  /** 0 for a resume. */
  readonly durationMs: number
  readonly by: string
  readonly reason: string
  /** What held before; it goes on if the order is refused. */
  readonly before: PauseRecord
  /** The number of the order as it stands; a newer order of others is answered with a new number. */
  number: number
  attempts: number
}

export interface ForgetTask {
  readonly kind: 'forget'
  readonly host: string
  readonly port: number
  /** `ask`: do the peers see it down as well? `tell`: they are told to forget it. */
  phase: 'ask' | 'tell'
}
