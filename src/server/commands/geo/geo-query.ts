/**
 * The arguments of the geo searches. GEORADIUS, GEORADIUSBYMEMBER and GEOSEARCH say the same in
 * different places; each becomes a query.
 */
import { error, type Reply } from '../../../resp/reply.ts'
import { parseInteger } from '../../arguments/numbers.ts'
import { arg } from '../../catalogue/command.ts'
import { NOT_AN_INTEGER, SYNTAX_ERROR } from '../../errors.ts'
import { type Position, positionOf } from '../../values/geo-hash.ts'
import type { SortedSet } from '../../values/sorted-set.ts'
import { type MeasuredShape, parseBox, parsePosition, parseRadius } from './geo-arguments.ts'

const NO_MEMBER = error('ERR could not decode requested zset member')
const BAD_COUNT = error('ERR COUNT must be > 0')
const ANY_NEEDS_COUNT = error('ERR the ANY argument requires COUNT argument')

/** How a search command differs from the others. */
export interface GeoForm {
  /** Where the centre is given: before the options, or by one of them. */
  readonly center: 'position' | 'member' | 'option'
  readonly sourceAt: number
  /** Index of the first option. */
  readonly optionsAt: number
  /** `option`: STORE and STOREDIST name the key; `first`: the first argument is the key. */
  readonly storing: 'never' | 'option' | 'first'
}

export interface GeoQuery {
  /**
   * Undefined if there is no such key. The arguments are checked all the same, but members have no
   * position.
   */
  readonly source: SortedSet | undefined
  around: 'member' | 'position' | undefined
  center: Position | undefined
  measured: MeasuredShape | undefined
  withDistance: boolean
  withHash: boolean
  withPosition: boolean
  sort: 'ASC' | 'DESC' | undefined
  /** 0 means all. */
  count: number
  /** ANY: any `count` of them, not the nearest. */
  takesAny: boolean
  storeKey: string | undefined
  storesDistance: boolean
}

interface Option {
  /** How many words follow the option. */
  readonly words: number
  /** Whether the option is compatible with what the query already says. */
  readonly isAllowed?: (query: GeoQuery) => boolean
  /** `at`: index of the word after the option. Returns an error, or undefined. */
  readonly apply: (query: GeoQuery, argv: readonly string[], at: number) => Reply | undefined
}

type Options = Readonly<Record<string, Option>>

function flag(set: Partial<GeoQuery>): Option {
  return {
    words: 0,
    apply: (query) => {
      Object.assign(query, set)
      return undefined
    },
  }
}

function storeAt(storesDistance: boolean): Option {
  return {
    words: 1,
    apply: (query, argv, at) => {
      query.storeKey = arg(argv, at)
      query.storesDistance = storesDistance
      return undefined
    },
  }
}

const COMMON_OPTIONS: Options = {
  WITHDIST: flag({ withDistance: true }),
  WITHHASH: flag({ withHash: true }),
  WITHCOORD: flag({ withPosition: true }),
  ANY: flag({ takesAny: true }),
  ASC: flag({ sort: 'ASC' }),
  DESC: flag({ sort: 'DESC' }),
  COUNT: { words: 1, apply: setCount },
}

const STORE_OPTIONS: Options = { STORE: storeAt(false), STOREDIST: storeAt(true) }
const STORE_FLAGS: Options = { STOREDIST: flag({ storesDistance: true }) }

const SEARCH_OPTIONS: Options = {
  FROMMEMBER: { words: 1, isAllowed: ({ around }) => around !== 'position', apply: setMember },
  FROMLONLAT: { words: 2, isAllowed: ({ around }) => around !== 'member', apply: setPosition },
  BYRADIUS: {
    words: 2,
    isAllowed: ({ measured }) => measured?.shape.kind !== 'box',
    apply: (query, argv, at) => setMeasured(query, parseRadius(argv, at)),
  },
  BYBOX: {
    words: 3,
    isAllowed: ({ measured }) => measured?.shape.kind !== 'circle',
    apply: (query, argv, at) => setMeasured(query, parseBox(argv, at)),
  },
}

function optionsOf({ center, storing }: GeoForm): Options {
  return {
    ...COMMON_OPTIONS,
    ...(storing === 'option' ? STORE_OPTIONS : {}),
    ...(storing === 'first' ? STORE_FLAGS : {}),
    ...(center === 'option' ? SEARCH_OPTIONS : {}),
  }
}

/** Makes the function that parses the arguments of commands of this form. */
export function geoQueryParser(form: GeoForm) {
  const options = new Map(Object.entries(optionsOf(form)))
  return (argv: readonly string[], source: SortedSet | undefined): GeoQuery | Reply => {
    const query = emptyQuery(source, form.storing === 'first' ? argv[1] : undefined)
    const refused =
      readLeading(query, argv, form) ??
      readOptions(query, argv, form.optionsAt, options) ??
      conflictIn(query, form, arg(argv, 0))
    return refused ?? query
  }
}

function emptyQuery(source: SortedSet | undefined, storeKey: string | undefined): GeoQuery {
  return {
    source,
    around: undefined,
    center: undefined,
    measured: undefined,
    withDistance: false,
    withHash: false,
    withPosition: false,
    sort: undefined,
    count: 0,
    takesAny: false,
    storeKey,
    storesDistance: false,
  }
}

/** Reads the arguments of GEORADIUS and GEORADIUSBYMEMBER before their options. */
function readLeading(
  query: GeoQuery,
  argv: readonly string[],
  { center, optionsAt }: GeoForm,
): Reply | undefined {
  if (center === 'option' || (center === 'member' && query.source === undefined)) return undefined
  const refused = center === 'member' ? setMember(query, argv, 2) : setPosition(query, argv, 2)
  return refused ?? setMeasured(query, parseRadius(argv, optionsAt - 2))
}

function readOptions(
  query: GeoQuery,
  argv: readonly string[],
  from: number,
  options: ReadonlyMap<string, Option>,
): Reply | undefined {
  for (let at = from; at < argv.length; at++) {
    const option = options.get(arg(argv, at).toUpperCase())
    if (option === undefined || at + option.words >= argv.length) return SYNTAX_ERROR
    if (option.isAllowed?.(query) === false) return SYNTAX_ERROR
    const refused = option.apply(query, argv, at + 1)
    if (refused !== undefined) return refused
    at += option.words
  }
  return undefined
}

function setMember(query: GeoQuery, argv: readonly string[], at: number): Reply | undefined {
  query.around = 'member'
  if (query.source === undefined) return undefined
  const score = query.source.score(arg(argv, at))
  if (score === undefined) return NO_MEMBER
  query.center = positionOf(score)
  return undefined
}

function setPosition(query: GeoQuery, argv: readonly string[], at: number): Reply | undefined {
  const position = parsePosition(argv, at)
  if ('kind' in position) return position
  query.around = 'position'
  query.center = position
  return undefined
}

function setMeasured(query: GeoQuery, measured: MeasuredShape | Reply): Reply | undefined {
  if ('kind' in measured) return measured
  query.measured = measured
  return undefined
}

function setCount(query: GeoQuery, argv: readonly string[], at: number): Reply | undefined {
  const count = parseInteger(argv[at])
  if (count === undefined) return NOT_AN_INTEGER
  if (count <= 0) return BAD_COUNT
  query.count = count
  return undefined
}

/** `name`: the command as the client sent it. */
function conflictIn(query: GeoQuery, form: GeoForm, name: string): Reply | undefined {
  const { withDistance, withHash, withPosition } = query
  if (query.storeKey !== undefined && (withDistance || withHash || withPosition)) {
    const who = form.storing === 'first' ? 'GEOSEARCHSTORE' : 'STORE option in GEORADIUS'
    return error(`ERR ${who} is not compatible with WITHDIST, WITHHASH and WITHCOORD options`)
  }
  const isSearch = form.center === 'option'
  if (isSearch && query.around === undefined) return oneOf('FROMMEMBER or FROMLONLAT', name)
  if (isSearch && query.measured === undefined) return oneOf('BYRADIUS and BYBOX', name)
  return query.takesAny && query.count === 0 ? ANY_NEEDS_COUNT : undefined
}

function oneOf(options: string, name: string): Reply {
  return error(`ERR exactly one of ${options} can be specified for ${name}`)
}
