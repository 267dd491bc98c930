/**
 * The append-only file belongs to one process. Two nodes started in one folder, which is easily done with
 * a unit copied or a service started twice, would append to the same files, and neither would load again.
 * Redis lets them. Dumps are replaced as a whole, so nodes without an append-only file may share a folder.
 */
import { join } from 'node:path'
import { utf8Text } from '../base/utf8.ts'
import { type LockSubject, lockFile } from '../io/lock.ts'
import type { Logger } from '../io/logger.ts'
import type { Settings } from '../server/settings/settings.ts'

/** Throws a StartError that names the process which has the files already. */
export async function lockAppendOnly(
  settings: Settings,
  folder: string,
  logger: Logger,
): Promise<void> {
  if (!settings.flag('appendonly')) return
  const name = `${settings.text('appenddirname')}-${settings.text('appendfilename')}`
  const path = join(folder, utf8Text(name))
  const files = join(folder, utf8Text(settings.text('appenddirname')))
  const { missing } = await lockFile(path, { subject: subjectOf(files) })
  if (missing === undefined) return
  const consequence = 'nothing keeps a second node from writing to the same files'
  logger.log('warning', `the append-only file cannot be locked (${missing}): ${consequence}`)
}

function subjectOf(files: string): LockSubject {
  return {
    code: 'E_AOF_IN_USE',
    what: () => `the append-only file in ${files}`,
    hint: 'stop that process, or give this node a dir of its own',
  }
}
