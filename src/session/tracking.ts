/**
 * [CLIENT TRACKING] Server-assisted client-side caching, as a client sets it up: what it asks for,
 * parsed or refused, and how that is shown. The data node acts on it; a Sentinel has no keys, and
 * only remembers it.
 */
import { parseInt64 } from '../base/decimal.ts'
import { array, bulk, error, integer, OK, type Reply } from '../resp/reply.ts'
import { NOT_AN_INTEGER, SYNTAX_ERROR } from './errors.ts'

export interface Tracking {
  readonly mode: 'default' | 'optin' | 'optout' | 'bcast'
  readonly noLoop: boolean
  /** The connection to which invalidations go; 0: this one. */
  readonly redirect: number
  /** With `bcast` only; the empty prefix stands for all keys. */
  readonly prefixes: readonly string[]
  /** [CLIENT CACHING] was called, and no command that could read keys has followed. */
  readonly isCachingSaid: boolean
}

/** The part of a client that this is about. */
interface TrackingClient {
  tracking: Tracking | undefined
}

/** CLIENT TRACKING. `isConnected`: whether there is a client of that id. */
export function changeTracking(
  client: TrackingClient,
  argv: readonly string[],
  isConnected: (id: number) => boolean,
): Reply {
  const [, , state = '', ...words] = argv
  const wanted = parseOptions(words, isConnected)
  if ('kind' in wanted) return wanted
  switch (state.toLowerCase()) {
    case 'off':
      client.tracking = undefined
      return OK
    case 'on':
      return switchOn(client, wanted)
    default:
      return SYNTAX_ERROR
  }
}

interface Options {
  readonly redirect: number
  readonly prefixes: readonly string[]
  /** Which of `bcast`, `optin`, `optout` and `noloop` were given. */
  readonly switches: ReadonlySet<string>
}

const SWITCHES: readonly string[] = ['bcast', 'optin', 'optout', 'noloop']

function parseOptions(
  words: readonly string[],
  isConnected: (id: number) => boolean,
): Options | Reply {
  const switches = new Set<string>()
  const prefixes: string[] = []
  let redirect = 0
  for (let at = 0; at < words.length; at++) {
    const word = words[at]?.toLowerCase() ?? ''
    const value = words[at + 1]
    if (SWITCHES.includes(word)) {
      switches.add(word)
      continue
    }
    if (value === undefined || (word !== 'redirect' && word !== 'prefix')) return SYNTAX_ERROR
    at++
    if (word === 'prefix') {
      prefixes.push(value)
      continue
    }
    const target = parseRedirect(value, redirect, isConnected)
    if (typeof target !== 'number') return target
    redirect = target
  }
  return { redirect, prefixes, switches }
}

function parseRedirect(
  value: string,
  earlier: number,
  isConnected: (id: number) => boolean,
): number | Reply {
  if (earlier !== 0) return error('ERR A client can only redirect to a single other client')
  const id = parseInt64(value)
  if (id === undefined) return NOT_AN_INTEGER
  if (isConnected(Number(id))) return Number(id)
  return error('ERR The client ID you want redirect to does not exist')
}

function switchOn(client: TrackingClient, options: Options): Reply {
  const refusal = refusalOf(client.tracking, options)
  if (refusal !== undefined) return refusal
  const isBroadcast = options.switches.has('bcast')
  const overlap = overlapOf(client.tracking?.prefixes ?? [], options.prefixes)
  if (overlap !== undefined) return overlap
  client.tracking = {
    mode: modeOf(options.switches),
    noLoop: options.switches.has('noloop'),
    redirect: options.redirect,
    prefixes: isBroadcast ? prefixesOf(client.tracking, options.prefixes) : [],
    isCachingSaid: false,
  }
  return OK
}

/** Redis' checks in Redis' order. */
function refusalOf(now: Tracking | undefined, { switches, prefixes }: Options): Reply | undefined {
  const isBroadcast = switches.has('bcast')
  if (!isBroadcast && prefixes.length > 0) {
    return error('ERR PREFIX option requires BCAST mode to be enabled')
  }
  if (now !== undefined && isBroadcast !== (now.mode === 'bcast'))
    return mustSwitchOff('BCAST mode on/off')
  const [optin, optout] = [switches.has('optin'), switches.has('optout')]
  if (isBroadcast && (optin || optout)) {
    return error('ERR OPTIN and OPTOUT are not compatible with BCAST')
  }
  if (optin && optout) return error("ERR You can't specify both OPTIN mode and OPTOUT mode")
  const clashes = (optin && now?.mode === 'optout') || (optout && now?.mode === 'optin')
  return clashes ? mustSwitchOff('OPTIN/OPTOUT mode') : undefined
}

function mustSwitchOff(what: string): Reply {
  return error(
    `ERR You can't switch ${what} before disabling tracking for this client, ` +
      'and then re-enabling it with a different mode.',
  )
}

/**
 * Far more than any client needs. The limit is there because we keep prefixes and compare each with
 * all others.
 */
const PREFIXES_MAX = 1000

/**
 * If one of two prefixes began with the other, the client would be told twice of each key that
 * begins with both.
 */
function overlapOf(known: readonly string[], added: readonly string[]): Reply | undefined {
  if (known.length + added.length > PREFIXES_MAX) return error('ERR too many prefixes')
  const ending = 'Prefixes for a single client must not overlap.'
  for (const [index, prefix] of added.entries()) {
    const old = known.find((one) => overlaps(one, prefix))
    if (old !== undefined) {
      return error(`ERR Prefix '${prefix}' overlaps with an existing prefix '${old}'. ${ending}`)
    }
    const other = added.slice(index + 1).find((one) => overlaps(one, prefix))
    if (other !== undefined) {
      return error(
        `ERR Prefix '${prefix}' overlaps with another provided prefix '${other}'. ${ending}`,
      )
    }
  }
  return undefined
}

function overlaps(a: string, b: string): boolean {
  return a.startsWith(b) || b.startsWith(a)
}

function modeOf(switches: ReadonlySet<string>): Tracking['mode'] {
  if (switches.has('bcast')) return 'bcast'
  if (switches.has('optin')) return 'optin'
  return switches.has('optout') ? 'optout' : 'default'
}

function prefixesOf(now: Tracking | undefined, added: readonly string[]): readonly string[] {
  const all = [...(now?.prefixes ?? []), ...(added.length === 0 ? [''] : added)]
  return [...new Set(all)].sort()
}

/** CLIENT CACHING: says whether the keys of the next command are to be cached. */
export function sayCaching(client: TrackingClient, argv: readonly string[]): Reply {
  const { tracking } = client
  if (tracking === undefined) {
    return error(
      'ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN or OPTOUT mode enabled',
    )
  }
  const word = argv[2]?.toLowerCase()
  if (word !== 'yes' && word !== 'no') return SYNTAX_ERROR
  const mode = word === 'yes' ? 'optin' : 'optout'
  if (tracking.mode !== mode) {
    const [said, needed] = [word.toUpperCase(), mode.toUpperCase()]
    return error(
      `ERR CLIENT CACHING ${said} is only valid when tracking is enabled in ${needed} mode.`,
    )
  }
  client.tracking = { ...tracking, isCachingSaid: true }
  return OK
}

/** CLIENT CACHING applies to the next command that is no CLIENT command itself. */
export function endCaching(client: TrackingClient): void {
  const { tracking } = client
  if (tracking?.isCachingSaid === true) client.tracking = { ...tracking, isCachingSaid: false }
}

/** CLIENT GETREDIR: -1 without tracking, 0 for "to this connection". */
export function redirectOf({ tracking }: TrackingClient): number {
  return tracking?.redirect ?? -1
}

/** CLIENT TRACKINGINFO. `isBroken`: the connection to which invalidations were to go is gone. */
export function trackingInfo(client: TrackingClient, isBroken: boolean): Reply {
  const { tracking } = client
  return {
    kind: 'map',
    entries: [
      [bulk('flags'), { kind: 'set', items: flagsOf(tracking, isBroken).map(bulk) }],
      [bulk('redirect'), integer(redirectOf(client))],
      [bulk('prefixes'), array((tracking?.prefixes ?? []).map(bulk))],
    ],
  }
}

function flagsOf(tracking: Tracking | undefined, isBroken: boolean): readonly string[] {
  if (tracking === undefined) return ['off']
  const { mode, isCachingSaid, noLoop } = tracking
  const said = mode === 'optin' ? ['caching-yes'] : ['caching-no']
  return [
    'on',
    ...(mode === 'default' ? [] : [mode]),
    ...(isCachingSaid ? said : []),
    ...(noLoop ? ['noloop'] : []),
    ...(isBroken ? ['broken_redirect'] : []),
  ]
}
