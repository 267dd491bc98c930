/** Commands that we have and redis-server 7.0 has not: those of newer servers, and our own. */
const NEWER: ReadonlySet<string> = new Set([
  ...['client|capa', 'client|maint_notifications', 'client|no-touch', 'client|setinfo', 'waitaof'],
  ...[
    'delex',
    'delifeq',
    'msetex',
    'script|show',
    'hgetdel',
    'hgetex',
    'hsetex',
    'hpersist',
    'httl',
    'hpttl',
  ],
  ...['hexpire', 'hpexpire', 'hexpireat', 'hpexpireat', 'hexpiretime', 'hpexpiretime'],
  ...['', '|get', '|help', '|len', '|reset'].map((part) => `commandlog${part}`),
  ...['fence', 'ledger', 'black-box'],
])

/** Whether redis-server 7.0 has the command, or subcommand (`client|info`), too. */
export function isRedisName(name: string): boolean {
  return !NEWER.has(name)
}
