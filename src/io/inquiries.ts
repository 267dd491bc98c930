/**
 * The questions a Sentinel has for the world outside: names for the resolver, paths for the file system.
 * Each is answered exactly once, later, and none keeps another waiting.
 */
import { access, constants, stat } from 'node:fs/promises'
import { unreachable } from '../base/assert.ts'
import { utf8Text } from '../base/utf8.ts'
import type { InquiryId } from '../core/ids.ts'
import type { Answer, Question } from '../core/inquiry.ts'
import type { AclFile } from './acl-file.ts'
import { NameLookups } from './name-lookups.ts'
import { reasonOf } from './start-error.ts'

export type Answered = (inquiry: InquiryId, answer: Answer) => void

/** One for the process: the threads it spares are the process's own. */
const NAMES = new NameLookups()

export function answerLater(
  inquiry: InquiryId,
  question: Question,
  answered: Answered,
  names = NAMES,
  aclFile: AclFile | undefined = undefined,
): void {
  answer(question, names, aclFile).then(
    (found) => answered(inquiry, found),
    (error: unknown) => answered(inquiry, { kind: 'failed', reason: reasonOf(error) }),
  )
}

async function answer(
  question: Question,
  names: NameLookups,
  aclFile: AclFile | undefined,
): Promise<Answer> {
  switch (question.kind) {
    case 'resolve':
      return { kind: 'resolve', address: await names.resolve(question.host) }
    case 'executable':
      return { kind: 'executable', isExecutable: await isExecutable(utf8Text(question.path)) }
    case 'readAclFile':
      if (aclFile === undefined) return NO_ACL_FILE
      return { kind: 'readAclFile', text: await aclFile.read() }
    case 'writeAclFile':
      if (aclFile === undefined) return NO_ACL_FILE
      await aclFile.write(question.text)
      return { kind: 'writeAclFile' }
    default:
      return unreachable(question)
  }
}

const NO_ACL_FILE: Answer = { kind: 'failed', reason: 'no aclfile is configured' }

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch {
    return false
  }
}
