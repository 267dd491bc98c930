/**
 * The questions a Sentinel has for the world outside: names for the resolver, paths for the file system.
 * Each is answered exactly once, later, and none keeps another waiting.
 */
import { lookup } from 'node:dns/promises'
import { access, constants, stat } from 'node:fs/promises'
import { unreachable } from '../base/assert.ts'
import type { InquiryId } from '../core/ids.ts'
import type { Answer, Question } from '../core/inquiry.ts'
import { reasonOf } from './start-error.ts'

export type Answered = (inquiry: InquiryId, answer: Answer) => void

export function answerLater(inquiry: InquiryId, question: Question, answered: Answered): void {
  answer(question).then(
    (found) => answered(inquiry, found),
    (error: unknown) => answered(inquiry, { kind: 'failed', reason: reasonOf(error) }),
  )
}

async function answer(question: Question): Promise<Answer> {
  switch (question.kind) {
    case 'resolve': {
      const { address } = await lookup(question.host)
      return { kind: 'resolve', address }
    }
    case 'executable':
      return { kind: 'executable', isExecutable: await isExecutable(question.path) }
    case 'readAclFile':
    case 'writeAclFile':
      return { kind: 'failed', reason: 'no aclfile is configured' }
    default:
      return unreachable(question)
  }
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch {
    return false
  }
}
