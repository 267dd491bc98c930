/**
 * What the simulated world answers a Sentinel's questions. Hosts are known to the resolver by their names,
 * and it always works: a name means the address its host has at the moment of the answer.
 */
import { unreachable } from '../base/assert.ts'
import { canonicalIp } from '../base/ip.ts'
import type { Answer, Question } from '../core/inquiry.ts'
import type { Process } from './process.ts'

/** About what a name server in the same network takes. */
export const ANSWER_MS = 1

export function simulatedAnswer(process: Process, question: Question): Answer {
  switch (question.kind) {
    case 'resolve': {
      const address = canonicalIp(question.host) ?? process.addressOf(question.host)
      return address === undefined
        ? { kind: 'failed', reason: 'ENOTFOUND' }
        : { kind: 'resolve', address }
    }
    case 'executable':
      return { kind: 'executable', isExecutable: true }
    case 'readAclFile':
    case 'writeAclFile':
      return { kind: 'failed', reason: 'no aclfile is configured' }
    default:
      return unreachable(question)
  }
}
