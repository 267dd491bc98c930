/**
 * The questions a Sentinel asks the outside world: names for the resolver, paths for the file system.
 * Each is answered exactly once, later, and none makes another wait.
 */
import { access, constants, stat } from 'node:fs/promises'
import { unreachable } from '../base/assert.ts'
import { utf8Text } from '../base/utf8.ts'
import type { Answer, ExternalQuery, RecordedSegment } from '../core/external-query.ts'
import type { InquiryId } from '../core/ids.ts'
import type { AclFile } from './files/acl-file.ts'
import { NameLookups } from './network/name-lookups.ts'
import { reasonOf } from './start-error.ts'

export type AnswerHandler = (inquiry: InquiryId, answer: Answer) => void

/** What the answers are taken from. */
export interface AnswerSources {
  readonly names?: NameLookups
  readonly aclFile?: AclFile | undefined
  readonly record?: KeptRecord | undefined
}

/** [black-box] The record on disk. Both throw an error with the reason. */
export interface KeptRecord {
  list(): Promise<readonly RecordedSegment[]>
  read(segment: string, offset: number, bytes: number): Promise<string>
}

/** One per process: the threads it saves are those of the process. */
const NAMES = new NameLookups()

export function answerLater(
  inquiry: InquiryId,
  question: ExternalQuery,
  answered: AnswerHandler,
  sources: AnswerSources,
): void {
  answer(question, sources).then(
    (found) => answered(inquiry, found),
    (error: unknown) => answered(inquiry, { kind: 'failed', reason: reasonOf(error) }),
  )
}

async function answer(
  question: ExternalQuery,
  { names = NAMES, aclFile, record }: AnswerSources,
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
    case 'listRecord':
      return record === undefined
        ? NO_RECORD
        : { kind: 'listRecord', segments: await record.list() }
    case 'readRecord': {
      if (record === undefined) return NO_RECORD
      const { segment, offset, bytes } = question
      return { kind: 'readRecord', bytes: await record.read(segment, offset, bytes) }
    }
    case 'preFailover': {
      // Imported only here: most Sentinels have no hook.
      const { askHook } = await import('./hooks/pre-failover.ts')
      return askHook(question)
    }
    default:
      return unreachable(question)
  }
}

const NO_ACL_FILE: Answer = { kind: 'failed', reason: 'no aclfile is configured' }

const NO_RECORD: Answer = {
  kind: 'failed',
  reason:
    'this Sentinel keeps no record: its configuration says black-box: no, or its log why it cannot',
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch {
    return false
  }
}
