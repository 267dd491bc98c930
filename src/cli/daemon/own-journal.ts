/** [black-box] Opens the journal that a data node or a proxy keeps of itself. */
import type { JournalFiles } from '../../io/blackbox/journal-files.ts'
import type { Logger } from '../../io/log/logger.ts'
import { readClock } from '../../io/process/clock.ts'
import { reasonOf } from '../../io/start-error.ts'
import type { JournalHead } from '../../journal/entry-text.ts'
import { ownVersion } from '../version.ts'

export interface JournalPlace {
  readonly folder: string
  readonly maxBytes: number | undefined
  readonly maxDays: number
  /** Who keeps it; asked when a segment begins. */
  readonly keeper: () => Omit<JournalHead, 'program' | 'now'>
}

/** A process that cannot keep a journal works without one. Imported only where it is wanted. */
export async function openJournal(
  { keeper, ...options }: JournalPlace,
  logger: Logger,
): Promise<JournalFiles | undefined> {
  const warn = (text: string) => logger.log('warning', text)
  const program = `vedette ${ownVersion()}`
  const head = () => ({ program, now: readClock(), ...keeper() })
  try {
    const { JournalFiles: Opened } = await import('../../io/blackbox/journal-files.ts')
    const journal = new Opened({ ...options, head, warn })
    process.once('exit', () => journal.finish())
    return journal
  } catch (error) {
    warn(`black box: nothing is recorded: ${options.folder}: ${reasonOf(error)}`)
    return undefined
  }
}
