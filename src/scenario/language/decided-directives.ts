/**
 * Directives of redis.conf that are decided for the nodes of a laboratory, by its topology or by the engine. Set by
 * hand, a node would not be found, not be let in, or not end with its run; or nothing would look at them.
 */

/** What decides: where a node listens, whom it follows, how others log in, who its users are, how its process runs; `file`: what stands in files alone. */
export type DirectiveMatter = 'place' | 'master' | 'password' | 'users' | 'process' | 'file'

const DECIDED: Readonly<Record<DirectiveMatter, readonly string[]>> = {
  place: [
    ...['port', 'tls-port', 'bind', 'unixsocket', 'replica-announce-ip', 'replica-announce-port'],
    ...['slave-announce-ip', 'slave-announce-port'],
  ],
  master: ['replicaof', 'slaveof'],
  password: ['requirepass', 'masterauth'],
  users: ['user', 'aclfile'],
  process: ['dir', 'daemonize'],
  file: ['include', 'loadmodule', 'rename-command'],
}

/** Undefined: a test or a scenario may set it. */
export function decidedMatter(directive: string): DirectiveMatter | undefined {
  const name = directive.toLowerCase()
  const matters = Object.entries(DECIDED) as [DirectiveMatter, readonly string[]][]
  return matters.find(([, names]) => names.includes(name))?.[0]
}
