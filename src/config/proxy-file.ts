/**
 * `proxy:` of sentinel.yml: where clients come in and which master they reach. A Sentinel that has it runs the proxy
 * in its own process; `vedette proxy` reads the same section, or the same from its command line.
 */
import type { Address } from '../base/ip.ts'
import {
  DEFAULT_PROXY,
  type ProxyConfig,
  type ProxyTiming,
  TIMING_ROWS,
} from '../proxy/proxy-options.ts'
import {
  bind,
  bytes,
  duration,
  flag,
  host,
  integer,
  memory,
  oneOf,
  splitAddress,
  text,
} from './yml-values.ts'
import { z } from './zod.ts'

const MAX_PORT = 65_535
const MAX_CLIENTS = 1_000_000
const SENTINEL_PORT = 26_379

export interface ProxyEntrances {
  readonly name: string
  /** Where commands go to the master. 0: no port. */
  readonly port: number
  /** Where they go to replicas. 0: none. */
  readonly readPort: number
  /** The same as Unix sockets; empty: none. */
  readonly socket: string
  readonly readSocket: string
  /** Connections begin with a header of the PROXY protocol. */
  readonly readsHeader: boolean
}

export interface ProxyFile {
  readonly sentinels: readonly Address[]
  readonly groups: readonly ProxyEntrances[]
  readonly bind: readonly string[]
  /** Clients speak TLS, with the certificate of the `tls:` section. */
  readonly hasTls: boolean
  readonly user: string
  readonly password: string
  readonly sendProxy: 0 | 1 | 2
  readonly maxClients: number
  readonly timing: ProxyTiming
}

const TIMING_SHAPE: Readonly<Record<string, z.ZodType>> = Object.fromEntries(
  TIMING_ROWS.map(([, row]) => [
    row.word,
    (row.kind === 'duration' ? duration : memory).default(row.default),
  ]),
)

const ENTRANCES = z.strictObject({
  port: integer(0, MAX_PORT).default(0),
  'read-port': integer(0, MAX_PORT).default(0),
  socket: text.default(''),
  'read-socket': text.default(''),
  'proxy-protocol': flag.default(false),
})

const SENTINEL = z.preprocess(
  withPort,
  z.strictObject({ host, port: integer(1, MAX_PORT).default(SENTINEL_PORT) }),
)

function withPort(value: unknown): unknown {
  const split = splitAddress(value)
  const isBare = typeof split === 'object' && split !== null && !('port' in split)
  return isBare ? { ...split, port: SENTINEL_PORT } : split
}

const SEND_PROXY = ['no', 'v1', 'v2'] as const

export const PROXY = z.strictObject({
  sentinels: z.preprocess((value) => value ?? [], z.array(SENTINEL)).default([]),
  groups: z.preprocess((value) => value ?? {}, z.record(z.string(), ENTRANCES)).default({}),
  bind: bind.default(DEFAULT_PROXY.bind),
  tls: flag.default(false),
  user: bytes.default(''),
  password: bytes.default(''),
  'send-proxy': oneOf(SEND_PROXY).default('no'),
  'max-clients': integer(1, MAX_CLIENTS).default(DEFAULT_PROXY.maxClients),
  ...TIMING_SHAPE,
})

export const PROXY_OPTIONS: readonly string[] = Object.keys(PROXY.shape)
export const PROXY_GROUP_OPTIONS: readonly string[] = Object.keys(ENTRANCES.shape)

export type ProxyYml = z.output<typeof PROXY>

export function toProxy(yml: ProxyYml): ProxyFile {
  const said = yml as unknown as Readonly<Record<string, number>>
  const timing = TIMING_ROWS.map(([key, { word }]) => [key, said[word]])
  return {
    sentinels: yml.sentinels,
    groups: Object.entries(yml.groups).map(([name, group]) => ({
      name,
      port: group.port,
      readPort: group['read-port'],
      socket: group.socket,
      readSocket: group['read-socket'],
      readsHeader: group['proxy-protocol'],
    })),
    bind: yml.bind,
    hasTls: yml.tls,
    user: yml.user,
    password: yml.password,
    sendProxy: SEND_PROXY.indexOf(yml['send-proxy']) as 0 | 1 | 2,
    maxClients: yml['max-clients'],
    timing: Object.fromEntries(timing) as unknown as ProxyTiming,
  }
}

/** What cannot be seen from one value alone, with the path of the option it is about. */
export function proxyFaults(proxy: ProxyFile): readonly {
  readonly path: readonly string[]
  readonly message: string
  readonly hint: string
}[] {
  if (proxy.groups.length === 0) {
    return [{ path: ['groups'], message: 'names no group', hint: 'mymaster: {port: 6400}' }]
  }
  const ports = proxy.groups.flatMap(({ port, readPort }) => [port, readPort])
  return proxy.groups.flatMap(({ name, port, readPort, socket, readSocket }) => {
    const path = ['groups', name]
    const isClosed = port === 0 && readPort === 0 && socket === '' && readSocket === ''
    if (isClosed) return [{ path, message: 'has no entrance', hint: 'a port or a socket' }]
    const twice = [port, readPort].find(
      (one) => one !== 0 && ports.filter((other) => other === one).length > 1,
    )
    if (twice === undefined) return []
    return [{ path, message: `port ${twice} is given twice`, hint: 'give each its own' }]
  })
}

/** What its machine is told. */
export function proxyConfig(file: ProxyFile, usesTls: boolean): ProxyConfig {
  const { sentinels, groups, user, password, sendProxy, maxClients, timing } = file
  const names = groups.map(({ name, readPort, readSocket }) => ({
    name,
    hasReadPort: readPort !== 0 || readSocket !== '',
  }))
  return { ...timing, sentinels, groups: names, user, password, usesTls, sendProxy, maxClients }
}
