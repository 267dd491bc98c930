/** Which of Redis' tests do not pass over our programs, and why; docs/redis-suite.md tells the kinds. */

const MORE_COMMANDS = 'Ours: it counts the commands of Sentinel, and there are more.'
const STATE_FILE =
  'Ours: it makes sentinel.conf unwritable, and Vedette writes a file of its own. Where that one cannot be written, the same error is given.'

export const KNOWN = {
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
