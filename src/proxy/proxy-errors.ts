/** What the proxy answers itself. Each error has a name of its own, so that an application can tell what happened. */

/** Nothing was sent to any server: the command may be given again. */
export function noMaster(group: string, waitedMs: number): string {
  return (
    `-NOMASTER no majority of the Sentinels has named a reachable master of ${group} for ${waitedMs} ms. ` +
    'The command was not carried out; try again, and look at PROXY INFO\r\n'
  )
}

/** For a client that has closed its half: it may be gone when there is a master again. */
export function noMasterNow(group: string): string {
  return (
    `-NOMASTER no majority of the Sentinels names a reachable master of ${group}, and who sends nothing more is not ` +
    'kept waiting. The command was not carried out; try again\r\n'
  )
}

export function tooMuchHeld(group: string): string {
  return (
    `-NOMASTER no master of ${group} is confirmed, and more commands wait than hold-bytes allows. ` +
    'The command was not carried out; try again later\r\n'
  )
}

/** The command may or may not have been carried out. It is not sent twice. */
export const UNANSWERED =
  '-UNANSWERED the master was lost before it answered. The command may have been carried out or not: ' +
  'look before you give it again\r\n'

/** Another master would count replicas at once, whether they have the write or not. */
export const WAIT_MOVED =
  '-UNANSWERED the writes before this went over a connection to a master that is gone, so nobody can tell which ' +
  'replicas have them: look before you give them again\r\n'

export const TRANSACTION_TOO_LONG =
  '-EXECABORT Transaction discarded because of: the master has changed, and the transaction was too long to be ' +
  'kept for another. Nothing of it was carried out; give it again\r\n'

export const TRANSACTION_WITHOUT_MASTER =
  '-EXECABORT Transaction discarded because of: no master. Nothing of it was carried out; give it again\r\n'

export function notOffered(name: string): string {
  return `-ERR ${name} is not offered through the proxy: connect to the node itself\r\n`
}

export const PROXY_HEADER_UNEXPECTED =
  '-ERR a PROXY protocol header came, and this port expects none: set proxy-protocol, or send none\r\n'

export function unknownProxyCommand(): string {
  return '-ERR unknown PROXY subcommand. Try PROXY INFO or PROXY HELP\r\n'
}

const NOT_A_MASTER =
  /^-(READONLY|LOADING|MASTERDOWN|REDIRECT|UNBLOCKED [^\r]*instance state changed)/
const NOT_READY = /^-(LOADING|MASTERDOWN)/

/**
 * Whether a server says that it did not carry the command out because it is no master any more, or not yet. On a read
 * port a replica may refuse writes.
 */
export function isMisdirection(reply: string, isReadPort: boolean): boolean {
  if (reply.charCodeAt(0) !== 45) return false
  return (isReadPort ? NOT_READY : NOT_A_MASTER).test(reply)
}

/** The connection is closed behind it. `error` as the server wrote it. */
export function setUpRefused(error: string): string {
  return `-NOMASTER the new master refused what the old one had accepted: ${error.slice(1)}`
}
