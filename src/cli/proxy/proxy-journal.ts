/** [black-box] The journal of a proxy: the options are those of the file that its `proxy:` stands in. */
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { hostAndPort } from '../../base/ip.ts'
import { keepsRecord } from '../../config/black-box-options.ts'
import type { ProxyFile } from '../../config/proxy-file.ts'
import type { BlackBoxOptions } from '../../config/sentinel-file.ts'
import type { JournalFiles } from '../../io/blackbox/journal-files.ts'
import type { Logger } from '../../io/log/logger.ts'
import { openJournal } from '../daemon/own-journal.ts'

export interface ProxyRecord extends BlackBoxOptions {
  readonly folder: string
}

const RUN_ID_BYTES = 20

/** Several proxies may share a folder, but not a port. */
export async function openProxyJournal(
  record: ProxyRecord,
  { groups, bind }: ProxyFile,
  logger: Logger,
): Promise<JournalFiles | undefined> {
  if (!keepsRecord(record, 'proxy')) return undefined
  const { folder, maxBytes, maxDays } = record
  const port = groups.find((one) => one.port !== 0)?.port ?? groups[0]?.readPort ?? 0
  const runId = randomBytes(RUN_ID_BYTES).toString('hex')
  const bound = bind.find((one) => /^[\w.:]+$/.test(one) && !/^(::|0\.0\.0\.0)$/.test(one))
  const address = hostAndPort(bound ?? hostname(), port)
  const keeper = () => ({ keeper: 'proxy' as const, runId, address })
  const place = { folder: join(folder, `proxy-${port}.blackbox`), maxBytes, maxDays, keeper }
  return await openJournal(place, logger)
}
