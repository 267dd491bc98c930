/**
 * A program's own ports, where they would stop its start: two that are one, of which it would say that another process
 * listens there, or none at all.
 */

/** Where a program is going to listen, by the option that says so. */
export interface OwnPort {
  readonly option: string
  /** 0: nowhere. */
  readonly port: number
  /** As after `bind`; empty: on every address. */
  readonly bind: readonly string[]
}

export interface SharedPort {
  readonly option: string
  readonly message: string
  readonly hint: string
}

export function sharedPorts(ports: readonly OwnPort[]): readonly SharedPort[] {
  const open = ports.filter(({ port }) => port !== 0)
  return open.flatMap((one, at) => {
    const rival = open.slice(0, at).find((other) => isShared(one, other))
    if (rival === undefined) return []
    const message = `${one.port} is the port of ${rival.option}, too`
    return [{ option: one.option, message, hint: 'give each a port of its own' }]
  })
}

/** For a program of which every port is 0. */
export const NO_PORT = {
  message: 'is 0, and nothing else is to be listened on: the program does not start',
  hint: 'choose a port, or set the port for TLS',
}

const EVERYWHERE: ReadonlySet<string> = new Set(['*', '0.0.0.0', '::*', '::'])

function isShared(one: OwnPort, other: OwnPort): boolean {
  if (one.port !== other.port) return false
  const [mine, theirs] = [addressesOf(one), addressesOf(other)]
  return mine === undefined || theirs === undefined || mine.some((host) => theirs.includes(host))
}

/** Undefined: every address, perhaps of one family only. */
function addressesOf({ bind }: OwnPort): readonly string[] | undefined {
  const hosts = bind.map((word) => word.replace(/^-/, ''))
  return hosts.length === 0 || hosts.some((host) => EVERYWHERE.has(host)) ? undefined : hosts
}
