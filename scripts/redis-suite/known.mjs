/** Which of Redis' tests do not pass over our programs, and why; docs/redis-suite.md tells the kinds. */

const MORE_COMMANDS = 'Ours: it counts the commands of Sentinel, and there are more.'
const STATE_FILE =
  'Ours: it makes sentinel.conf unwritable, and Vedette writes a file of its own. Where that one cannot be written, the same error is given.'

const NO_CHILD = 'Inside: nothing is forked, so there is no child process to be killed or counted.'
const ENCODING = 'Ours: the encoding that is told follows the present content.'

/** The test before ends in the middle, and leaves a setting behind. */
const after = (name, tests) =>
  Object.fromEntries(tests.map((test) => [test, `Follows from *${name}*.`]))

export const KNOWN = {
  'unit/type/set': {
    'SINTER with same integer elements but different encoding': ENCODING,
    'SRANDMEMBER with a dict containing long chain': NO_CHILD,
    ...after('SRANDMEMBER with a dict containing long chain', [
      'SMOVE basics - from regular set to intset',
      'SMOVE basics - from intset to regular set',
      'SMOVE non existing key',
      'SMOVE non existing src set',
      'SMOVE from regular set to non existing destination set',
      'SMOVE from intset to non existing destination set',
    ]),
  },
  sentinel: {
    'Sentinel commands sanity check': MORE_COMMANDS,
    'Sentinel Set with other error situations': STATE_FILE,
  },
  'sentinel/nodes': {
    'Sentinel commands sanity check': MORE_COMMANDS,
    'Sentinel Set with other error situations': STATE_FILE,
    '(init) Create a master-slaves cluster of 5 instances':
      'Ours: a master that is told to end hands over first, so that the test before is over while a node still loads slowly, as it was told.',
  },
}

/** Units that are not run, and why. */
export const LEFT_OUT = {}
