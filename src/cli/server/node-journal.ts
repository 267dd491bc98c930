/** [black-box] The journal of a data node, in a folder beside its data. */
import { hostname } from 'node:os'
import { join } from 'node:path'
import { hostAndPort } from '../../base/ip.ts'
import type { JournalFiles } from '../../io/blackbox/journal-files.ts'
import type { Logger } from '../../io/log/logger.ts'
import type { DataNode } from '../../server/node.ts'
import type { Settings } from '../../server/settings/settings.ts'
import { openJournal } from '../daemon/own-journal.ts'

/** Several nodes may keep their data in one folder. */
export function journalFolder(folder: string, settings: Settings): string {
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
