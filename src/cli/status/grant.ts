/** How to give a user the right that a server has just refused. */

/** NOPERM names the command, `sentinel|failover`, and not the rule that allows it. */
const REFUSED_COMMAND = /^NOPERM .*'([a-z][a-z|-]*)' command/

/** `user`: whom we logged in as. A reason of another kind stays as it is. */
export function withGrant(reason: string, user: string | undefined): string {
  const grant = grantFor(reason, user)
  return grant === undefined ? reason : `${reason}; ${grant}`
}

/** Undefined: the reason is of another kind. */
export function grantFor(reason: string, user: string | undefined): string | undefined {
  const [, command] = REFUSED_COMMAND.exec(reason) ?? []
  if (command === undefined) return undefined
  return `grant it there with ACL SETUSER ${user ?? 'default'} +${command}`
}
