/**
 * Error texts that more than one command uses. Redis' own are word for word: clients match on them.
 */
import { error } from '../../resp/reply.ts'

export {
  NOT_AN_INTEGER,
  SYNTAX_ERROR,
  wrongArity,
  wrongSubcommandArity,
} from '../../session/errors.ts'

export const NO_SAVE_TEXT = 'ERR The state of this Sentinel cannot be saved. Check its log'
export const NO_SUCH_MASTER = error('ERR No such master with that name')
