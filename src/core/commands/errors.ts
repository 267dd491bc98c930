/**
 * Error texts that more than one command uses. They are Redis', word for word: clients match on
 * them.
 */
import { error } from '../../resp/reply.ts'

export {
  NOT_AN_INTEGER,
  SYNTAX_ERROR,
  wrongArity,
  wrongSubcommandArity,
} from '../../session/errors.ts'

export const NO_SUCH_MASTER = error('ERR No such master with that name')
