/** Hands the answers of the outside world to the mechanisms that asked. */
import { assert, unreachable } from '../base/assert.ts'
import { resumeClient } from './clients/clients.ts'
import { considerFailover } from './election/failover-start.ts'
import { noteHookAnswer } from './election/hook-gate.ts'
import { questionKey } from './external-queries.ts'
import type { Answer, ExternalQuery } from './external-query.ts'
import type { ClientId, InquiryId } from './ids.ts'
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
    case 'preFailover':
      return onHookAnswered(turn, purpose.group, inquiry, answer)
    default:
      return unreachable(purpose)
  }
}

function answerClient(turn: Turn, id: ClientId, question: ExternalQuery, answer: Answer): void {
  const client = turn.state.clients.get(id)
  // The client may have gone while it waited.
  if (client === undefined) return
  client.answers.set(questionKey(question), answer)
  resumeClient(turn, client)
}

function onHookAnswered(turn: Turn, group: string, inquiry: InquiryId, answer: Answer): void {
  const answered = noteHookAnswer(turn, group, inquiry, answer)
  if (answered !== undefined) considerFailover(turn, answered)
}
