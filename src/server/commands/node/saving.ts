/** Saving to disk, and ending the process, which saves too. */

import { error, integer, OK, type Reply, simple } from '../../../resp/reply.ts'
import { command, type Family } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import { SYNTAX_ERROR } from '../../errors.ts'
import { busyError } from '../../gate.ts'
import type { ShutdownRequest } from '../../persistence/shutdown.ts'
import { replyLater } from '../../sessions/reply-later.ts'

const SAVE_FAILED = error('ERR')
const SAVE_RUNS = error('ERR Background save already in progress')
const TURN_TAKEN = error(
  "ERR Another child process is active (AOF?): can't BGSAVE right now. Use BGSAVE SCHEDULE in order " +
    'to schedule a BGSAVE whenever possible.',
)
const STARTED = simple('Background saving started')
const SCHEDULED = simple('Background saving scheduled')

/** Redis stands still during SAVE; here only the client that asked waits. */
function save(context: CommandContext): Reply | undefined {
  const { saving } = context.node.persistence
  // Another client's SAVE is no reason to refuse: Redis would serve that client first, and then
  // this one.
  if (saving.isInBackground && !saving.isRetrying) return SAVE_RUNS
  return replyLater(context, (answer) => {
    saving.order((failure) => answer(failure === undefined ? OK : SAVE_FAILED))
    saving.beginDue()
  })
}

function backgroundSave({ node, session }: CommandContext, argv: readonly string[]): Reply {
  const isSchedule = argv.length === 2 && argv[1]?.toUpperCase() === 'SCHEDULE'
  if (argv.length > 1 && !isSchedule) return SYNTAX_ERROR
  const { saving } = node.persistence
  // Inside EXEC the data are between two consistent states.
  const refusal = session.mayBlock || saving.isRunning ? saving.start() : 'taken'
  if (refusal === undefined) return STARTED
  if (refusal === 'running') return SAVE_RUNS
  if (!isSchedule && session.mayBlock) return TURN_TAKEN
  saving.schedule()
  return SCHEDULED
}

function lastSave({ node }: CommandContext): Reply {
  return integer(node.persistence.saving.savedAtSeconds)
}

/**
 * Answers FLUSHALL when the file is as empty as the node, if a file is kept. The keys are gone at once, so a client whose
 * node becomes a replica meanwhile must not be told that nothing was done; Redis 8 says OK as well.
 */
export function replyToFlush(context: CommandContext): Reply | undefined {
  const { persistence } = context.node
  if (!context.session.mayBlock) {
    persistence.flushed(() => undefined)
    return OK
  }
  const flush = (answer: (reply: Reply) => void) => {
    if (!persistence.flushed(() => answer(OK))) answer(OK)
  }
  return replyLater(context, flush, { showsData: true, atRoleChange: OK })
}

const SHUTDOWN_OPTIONS: ReadonlySet<string> = new Set(['NOSAVE', 'SAVE', 'NOW', 'FORCE', 'ABORT'])

function shutdown(context: CommandContext, argv: readonly string[]): Reply | undefined {
  const options = new Set(argv.slice(1).map((word) => word.toUpperCase()))
  for (const option of options) if (!SHUTDOWN_OPTIONS.has(option)) return SYNTAX_ERROR
  if (options.has('SAVE') && options.has('NOSAVE')) return SYNTAX_ERROR
  const { shutdown: ending } = context.node.persistence
  if (options.has('ABORT')) return options.size === 1 ? ending.abort() : SYNTAX_ERROR
  const isBusy = context.node.scripting.isInterrupted
  // What a script has written so far has reached no replica and no client, so it must not be kept either.
  if (isBusy && !options.has('NOSAVE')) return busyError(context.node)
  const request: ShutdownRequest = {
    mustSave: options.has('SAVE') ? true : options.has('NOSAVE') ? false : undefined,
    isNow: isBusy || options.has('NOW'),
    isForced: isBusy || options.has('FORCE'),
  }
  // A shutdown that succeeds sends no answer.
  return replyLater(context, (answer) => ending.begin(request, answer))
}

export const savingFamily: Family = {
  group: 'server',
  category: undefined,
  commands: [
    command('save', 1, 'admin noscript no_async_loading no_multi', [], save),
    command('bgsave', -1, 'admin noscript no_async_loading', [], backgroundSave),
    command('lastsave', 1, 'loading stale fast', [], lastSave, {
      alsoIn: ['@admin', '@dangerous'],
      tips: ['nondeterministic_output'],
    }),
    command('shutdown', -1, 'admin noscript loading stale no_multi allow_busy', [], shutdown),
  ],
}
