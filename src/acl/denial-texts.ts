/** The errors for a user who lacks a permission, in the words of Redis 7.0. */
import { error, type Reply } from '../resp/reply.ts'
import type { AclRequest, Denial } from './check.ts'

export function noPermission(denied: Denial, command: string): Reply {
  if (denied.reason === 'command') {
    return error(`NOPERM this user has no permissions to run the '${command}' command`)
  }
  const what = `one of the ${denied.reason}s used as arguments`
  return error(`NOPERM this user has no permissions to access ${what}`)
}

/** For a command that was queued in a transaction before the rules changed. */
export function noPermissionAnyMore({ reason }: Denial): Reply {
  return error(
    'NOPERM ACLs rules changed between the moment the transaction was accumulated and the EXEC ' +
      'call. This command is no longer allowed for the following reason: ' +
      REASONS[reason],
  )
}

const REASONS = {
  command: 'no permission to execute the command or subcommand',
  key: 'no permission to touch the specified keys',
  channel: 'no permission to access one of the channels used as arguments',
} as const

/** ACL DRYRUN. */
export function dryRunText(denied: Denial, { name, argv }: AclRequest): string {
  if (denied.reason === 'command') {
    return `This user has no permissions to run the '${name}' command`
  }
  const word = argv[denied.at]
  return `This user has no permissions to access the '${word}' ${denied.reason}`
}

/** What ACL LOG calls the thing that was refused. */
export function deniedObject(denied: Denial, { name, argv }: AclRequest): string {
  return denied.reason === 'command' ? name : (argv[denied.at] ?? '')
}
