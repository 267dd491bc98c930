/** DEBUG PROTOCOL: one reply of each kind that the protocol has, for tests of clients. */
import { array, bulk, error, integer, NULL, type Reply } from '../../../resp/reply.ts'
import { arg } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'

const NUMBERS = [0, 1, 2].map((value) => integer(value))
const ODD: readonly (readonly [Reply, Reply])[] = NUMBERS.map((number, at) => [
  number,
  { kind: 'boolean', value: at === 1 },
])
const POPULARITY = [[bulk('key-popularity'), array([bulk('key:123'), integer(90)])]] as const

/** The values are Redis', so that a test written for it finds what it expects. */
const SAMPLES: Readonly<Record<string, Reply>> = {
  string: bulk('Hello World'),
  integer: integer(12_345),
  double: { kind: 'double', value: Number('3.141'), text: '3.141' },
  bignum: { kind: 'bigNumber', digits: '1234567999999999999999999999999999999' },
  null: NULL,
  array: array(NUMBERS),
  set: { kind: 'set', items: NUMBERS },
  map: { kind: 'map', entries: ODD },
  attrib: {
    kind: 'attributed',
    attributes: POPULARITY,
    reply: bulk('Some real reply following the attribute'),
  },
  verbatim: { kind: 'verbatim', format: 'txt', text: 'This is a verbatim\nstring' },
  true: { kind: 'boolean', value: true },
  false: { kind: 'boolean', value: false },
}

const UNKNOWN = error(
  'ERR Wrong protocol type name. Please use one of the following: ' +
    'string|integer|double|bignum|null|array|set|map|attrib|push|verbatim|true|false',
)
const NO_PUSH = error('ERR RESP2 is not supported by this command')

export function protocolSample({ session }: CommandContext, argv: readonly string[]): Reply {
  const name = arg(argv, 2).toLowerCase()
  if (name !== 'push') return (Object.hasOwn(SAMPLES, name) && SAMPLES[name]) || UNKNOWN
  if (session.protocol === 2) return NO_PUSH
  session.push({ kind: 'push', items: [bulk('server-cpu-usage'), integer(42)] })
  return bulk('Some real reply following the push reply')
}
