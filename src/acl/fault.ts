/** What is wrong with a rule, in Redis' words. */

export type RuleFault =
  | 'syntax'
  | 'unknown'
  | 'keysAfterAll'
  | 'channelsAfterAll'
  | 'noSuchPassword'
  | 'badHash'
  | 'firstArgumentOfSubcommand'

const TEXTS: Readonly<Record<RuleFault, string>> = {
  syntax: 'Syntax error',
  unknown: 'Unknown command or category name in ACL',
  keysAfterAll: afterAll('allkeys', 'resetkeys', 'patterns'),
  channelsAfterAll: afterAll('allchannels', 'resetchannels', 'channels'),
  noSuchPassword: 'The password you are trying to remove from the user does not exist',
  badHash:
    'The password hash must be exactly 64 characters and contain only lowercase hexadecimal characters',
  firstArgumentOfSubcommand: 'Allowing first-arg of a subcommand is not supported',
}

export function faultText(fault: RuleFault): string {
  return TEXTS[fault]
}

export function isFault(result: object | RuleFault): result is RuleFault {
  return typeof result === 'string'
}

function afterAll(flag: string, remedy: string, things: string): string {
  return (
    `Adding a pattern after the * pattern (or the '${flag}' flag) is not valid and does not have ` +
    `any effect. Try '${remedy}' to start with an empty list of ${things}`
  )
}
