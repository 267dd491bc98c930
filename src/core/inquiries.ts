/**
 * Asking the world outside. A command that needs one waits: its client
 * is not served further until the answer is there, then the command is carried out from the start with
 * the answer at hand. Everybody else goes on.
 */
import { assert } from '../base/assert.ts'
import type { Client } from './client.ts'
import type { InquiryId } from './ids.ts'
import type { Answer, InquiryPurpose, Question } from './inquiry.ts'
import type { State, Turn } from './state.ts'
import { emit } from './turn.ts'

/** Puts a question; the answer goes to the mechanism the purpose names. */
export function inquire(turn: Turn, question: Question, purpose: InquiryPurpose): InquiryId {
  const { inquiries } = turn.state
  const inquiry = inquiries.nextId++
  inquiries.open.set(inquiry, purpose)
  emit(turn, { kind: 'inquire', inquiry, question })
  return inquiry
}

/**
 * For command handlers: the answer if it is there already. Undefined: the handler returns undefined at
 * once, before it has changed anything, and is called again when the answer has come.
 */
export function consult(turn: Turn, client: Client, question: Question): Answer | undefined {
  const known = client.answers.get(questionKey(question))
  if (known !== undefined) return known
  assert(!client.isWaiting, 'a command asks one question at a time')
  client.isWaiting = true
  inquire(turn, question, { kind: 'command', client: client.id, question })
  return undefined
}

export function noInquiries(): State['inquiries'] {
  return { nextId: 1, open: new Map() }
}

export function questionKey(question: Question): string {
  return JSON.stringify(question)
}
