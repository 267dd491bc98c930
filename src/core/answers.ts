/** The answers of the world outside, handed to whoever asked. */
import { assert, unreachable } from '../base/assert.ts'
import { resumeClient } from './clients.ts'
import type { ClientId, InquiryId } from './ids.ts'
import { questionKey } from './inquiries.ts'
import type { Answer, Question } from './inquiry.ts'
import { onNameAnswered } from './names/name-answers.ts'
import type { Turn } from './state.ts'

export function onInquired(turn: Turn, inquiry: InquiryId, answer: Answer): void {
  const { inquiries } = turn.state
  const purpose = inquiries.open.get(inquiry)
  assert(purpose !== undefined, 'an answer belongs to a question')
  inquiries.open.delete(inquiry)
  switch (purpose.kind) {
    case 'command':
      return answerClient(turn, purpose.client, purpose.question, answer)
    case 'name':
      return onNameAnswered(turn, purpose.host, answer)
    default:
      return unreachable(purpose)
  }
}

function answerClient(turn: Turn, id: ClientId, question: Question, answer: Answer): void {
  const client = turn.state.clients.get(id)
  // It may have gone while it waited.
  if (client === undefined) return
  client.answers.set(questionKey(question), answer)
  resumeClient(turn, client)
}
