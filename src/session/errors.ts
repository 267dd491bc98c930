/**
 * Errors that the Sentinel and the data node both send, word for word as Redis 7.0 sends them,
 * because clients match on them. A function that quotes a word of the request is given it ready to
 * be shown.
 */
import { error, type Reply } from '../resp/reply.ts'

/**
 * How a program shows a word of the request in an error: the data node up to the first NUL, as the
 * C code of Redis does (`cString`), the Sentinel as it was sent.
 */
export type ShowWord = (word: string) => string

export const asSent: ShowWord = (word) => word

export const SYNTAX_ERROR = error('ERR syntax error')
export const NOT_AN_INTEGER = error('ERR value is not an integer or out of range')
export const TIMEOUT_NOT_AN_INTEGER = error('ERR timeout is not an integer or out of range')
export const TIMEOUT_NEGATIVE = error('ERR timeout is negative')
export const TOO_MANY_CLIENTS = error('ERR max number of clients reached')

export const NO_AUTH = error('NOAUTH Authentication required.')
export const WRONG_PASS = error('WRONGPASS invalid username-password pair or user is disabled.')
export const NO_PASSWORD_SET = error(
  'ERR AUTH <password> called without any password configured for the default user. ' +
    'Are you sure your configuration is correct?',
)
export const HELLO_NEEDS_AUTH = error(
  'NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO AUTH ' +
    '<user> <pass> option can be used to authenticate the client and select the RESP protocol ' +
    'version at the same time',
)

const MAX_QUOTED_BYTES = 128

/** Quotes what was sent, within limits: the reply must not grow with the request. */
export function unknownCommand(argv: readonly string[], show: ShowWord): Reply {
  let quoted = ''
  for (let at = 1; at < argv.length && quoted.length < MAX_QUOTED_BYTES; at++) {
    quoted += `'${show(argv[at] ?? '').slice(0, MAX_QUOTED_BYTES - quoted.length)}' `
  }
  const name = show(argv[0] ?? '').slice(0, MAX_QUOTED_BYTES)
  return error(`ERR unknown command '${name}', with args beginning with: ${quoted}`)
}

/** `container` in upper or lower case. */
export function unknownSubcommand(container: string, subcommand: string): Reply {
  const name = subcommand.slice(0, MAX_QUOTED_BYTES)
  return error(`ERR unknown subcommand '${name}'. Try ${container.toUpperCase()} HELP.`)
}

/** For a subcommand that checks its own number of words. */
export function wrongSubcommandArity(container: string, subcommand: string): Reply {
  const help = `Try ${container.toUpperCase()} HELP.`
  return error(`ERR unknown subcommand or wrong number of arguments for '${subcommand}'. ${help}`)
}

/** `name` is the full name in lower case: `get`, `client|list`. */
export function wrongArity(name: string): Reply {
  return error(`ERR wrong number of arguments for '${name}' command`)
}

/** For a RESP2 connection with subscriptions, where a reply could be taken for an event. */
export function notAllowedWhenSubscribed(command: string): Reply {
  return error(
    `ERR Can't execute '${command}': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET ` +
      'are allowed in this context',
  )
}
