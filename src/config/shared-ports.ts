/** Two of a program's own ports that are one: the start would say that another process listens there. */

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
