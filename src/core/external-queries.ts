/**
 * Asking the outside world. A command that needs an answer waits: the Sentinel serves its client no
 * further until the answer is there, and then carries the command out from the start with the
 * answer at hand. All other clients are served meanwhile.
 */
import { assert } from '../base/assert.ts'
import type { Client } from './clients/client.ts'
import type { Answer, ExternalQuery, InquiryPurpose } from './external-query.ts'
import type { InquiryId } from './ids.ts'
import type { State, Turn } from './state.ts'
import { emit } from './turn.ts'

/** A disk or a name server that hangs must not make us remember every client that came and went. */
const MAX_OPEN = 10_000
const TOO_MANY: Answer = { kind: 'failed', reason: 'too many such questions wait for an answer' }

/** Asks a question; the answer goes to the mechanism that the purpose names. */
export function inquire(turn: Turn, question: ExternalQuery, purpose: InquiryPurpose): InquiryId {
  const { inquiries } = turn.state
  const inquiry = inquiries.nextId++
  inquiries.open.set(inquiry, purpose)
  emit(turn, { kind: 'inquire', inquiry, question })
  return inquiry
}

/**
 * For command handlers: the answer if it is known already. If this returns undefined, the handler
 * must return undefined at once, before it has changed anything; it is called again when the answer
 * has come.
 */
export function consult(turn: Turn, client: Client, question: ExternalQuery): Answer | undefined {
  const known = client.answers.get(questionKey(question))
  if (known !== undefined) return known
  if (turn.state.inquiries.open.size >= MAX_OPEN) return TOO_MANY
  assert(!client.isWaiting, 'a command asks one question at a time')
  client.isWaiting = true
  inquire(turn, question, { kind: 'command', client: client.id, question })
  return undefined
}

export function noInquiries(): State['inquiries'] {
  return { nextId: 1, open: new Map() }
}

export function questionKey(question: ExternalQuery): string {
  return JSON.stringify(question)
}
