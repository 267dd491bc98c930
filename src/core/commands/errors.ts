/** Error texts that more than one command gives. They are Redis', word for word: clients match on them. */
import { error, type Reply } from '../../resp/reply.ts'

export const NO_SUCH_MASTER = error('ERR No such master with that name')
export const SYNTAX_ERROR = error('ERR syntax error')
export const NOT_AN_INTEGER = error('ERR value is not an integer or out of range')
export const NOT_AUTHENTICATED = error('NOAUTH Authentication required.')

/** `name` is the full name in lower case: `sentinel|masters`. */
export function wrongArity(name: string): Reply {
  return error(`ERR wrong number of arguments for '${name}' command`)
}

const QUOTED_BYTES_MAX = 128

/** Quotes what was sent, within limits: the reply must not grow with the request. */
export function unknownCommand(argv: readonly string[]): Reply {
  const [name = '', ...rest] = argv
  let quoted = ''
  for (const argument of rest) {
    if (quoted.length >= QUOTED_BYTES_MAX) break
    quoted += `'${argument.slice(0, QUOTED_BYTES_MAX - quoted.length)}' `
  }
  const typed = name.slice(0, QUOTED_BYTES_MAX)
  return error(`ERR unknown command '${typed}', with args beginning with: ${quoted}`)
}

/** For a subcommand that counts its words itself; `typed` as it was sent. */
export function wrongSubcommandArity(container: string, typed: string): Reply {
  return error(
    `ERR unknown subcommand or wrong number of arguments for '${typed}'. Try ${container} HELP.`,
  )
}

/** Both words as they were sent: the container may go by another name here. */
export function unknownSubcommand(container: string, typed: string): Reply {
  const shown = typed.slice(0, QUOTED_BYTES_MAX)
  return error(`ERR unknown subcommand '${shown}'. Try ${container.toUpperCase()} HELP.`)
}

/** For a RESP2 connection that listens, where an answer could be taken for an event. */
export function notWhileListening(name: string): Reply {
  const allowed = '(P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET'
  return error(`ERR Can't execute '${name}': only ${allowed} are allowed in this context`)
}
