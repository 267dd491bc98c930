/** [black-box] The journal of a data node, in a folder beside its data. */
import { hostname } from 'node:os'
import { join } from 'node:path'
import { hostAndPort } from '../../base/ip.ts'
import type { JournalFiles } from '../../io/blackbox/journal-files.ts'
import type { Logger } from '../../io/log/logger.ts'
import type { NodeFolder } from '../../io/node-host.ts'
import { reasonOf } from '../../io/start-error.ts'
import type { DataNode } from '../../server/node.ts'
import type { FileAnswer, JournalPiece } from '../../server/persistence/files.ts'
import type { Settings } from '../../server/settings/settings.ts'
import { openJournal } from '../daemon/own-journal.ts'

/** Several nodes may keep their data in one folder. */
function journalFolder(folder: string, settings: Settings): string {
  return join(folder, `node-${portOf(settings)}.blackbox`)
}

/** `node`: undefined before it is made. */
export async function openNodeJournal(
  settings: Settings,
  folder: string,
  node: () => DataNode | undefined,
  logger: Logger,
): Promise<JournalFiles | undefined> {
  if (!settings.flag('black-box')) return undefined
  const place = {
    folder: journalFolder(folder, settings),
    maxBytes: settings.int('black-box-size'),
    maxDays: settings.int('black-box-days'),
    keeper: () => {
      const runId = node()?.services.runId ?? ''
      return { keeper: 'node' as const, runId, address: addressOf(settings) }
    },
  }
  return await openJournal(place, logger)
}

/** The node's folder, with the journal for those who ask for it. */
export function withJournal(files: NodeFolder, journal: JournalFiles | undefined): NodeFolder {
  if (journal === undefined) return files
  return {
    ask: (request) =>
      request.kind === 'journal' ? answerFrom(journal, request.piece) : files.ask(request),
    appendNow: (path, bytes) => files.appendNow(path, bytes),
  }
}

async function answerFrom(
  journal: JournalFiles,
  piece: JournalPiece | undefined,
): Promise<FileAnswer> {
  try {
    if (piece === undefined) return { kind: 'segments', segments: await journal.list() }
    const { segment, offset, bytes } = piece
    return { kind: 'bytes', bytes: await journal.read(segment, offset, bytes) }
  } catch (error) {
    return { kind: 'failed', code: 'NORECORD', text: reasonOf(error) }
  }
}

/** As far as the node knows it. */
function addressOf(settings: Settings): string {
  const [bound = ''] = settings.text('bind').split(' ')
  const isPlain = /^[\w.:]+$/.test(bound) && !/^(::|0\.0\.0\.0)$/.test(bound)
  const host = settings.text('replica-announce-ip') || (isPlain ? bound : hostname())
  return hostAndPort(host, settings.int('replica-announce-port') || portOf(settings))
}

function portOf(settings: Settings): number {
  return settings.int('port') || settings.int('tls-port')
}
