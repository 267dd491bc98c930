/**
 * The options of a proxy, each with its default and what it decides. `vedette proxy`, `proxy:` in sentinel.yml
 * and docs/options.md follow from these rows.
 */
import type { Address } from '../base/ip.ts'

export interface ProxyTiming {
  /** How long the word of a majority of the Sentinels about a master holds. */
  readonly leaseMs: number
  /** How long a command waits while no master is confirmed, before it is refused. */
  readonly holdMs: number
  /** How many bytes all clients together may have waiting, beyond which commands are refused at once. */
  readonly holdBytes: number
  /** How long the answers of a replaced master are waited for before its connections are cut. */
  readonly farewellMs: number
  /** How old the last byte that a replica has from its master may be for the read port. */
  readonly maxLagMs: number
  /** How long clients have to finish after SIGTERM. */
  readonly drainMs: number
}

export interface TimingRow {
  /** Its word on the command line and in sentinel.yml. */
  readonly word: string
  readonly kind: 'duration' | 'bytes'
  readonly default: number
  readonly about: string
}

const PROXY_TIMING: { readonly [Key in keyof ProxyTiming]: TimingRow } = {
  leaseMs: {
    ...{ word: 'lease', kind: 'duration', default: 1_000 },
    about: 'how long the answer of a majority of Sentinels stays valid',
  },
  holdMs: {
    ...{ word: 'hold', kind: 'duration', default: 10_000 },
    about: 'how long a command waits while no master is confirmed',
  },
  holdBytes: {
    ...{ word: 'hold-bytes', kind: 'bytes', default: 64 * 1024 * 1024 },
    about: 'how many bytes of commands may wait, over all clients',
  },
  farewellMs: {
    ...{ word: 'farewell', kind: 'duration', default: 100 },
    about: 'how long to wait for the answers of a replaced master',
  },
  maxLagMs: {
    ...{ word: 'max-lag', kind: 'duration', default: 15_000 },
    about: 'how long ago a replica may have last heard from its master and still serve reads',
  },
  drainMs: {
    ...{ word: 'drain', kind: 'duration', default: 10_000 },
    about: 'how long clients may take to finish after SIGTERM',
  },
}

export const TIMING_ROWS = Object.entries(PROXY_TIMING) as readonly (readonly [
  keyof ProxyTiming,
  TimingRow,
])[]

export const DEFAULT_TIMING: ProxyTiming = Object.fromEntries(
  TIMING_ROWS.map(([key, row]) => [key, row.default]),
) as unknown as ProxyTiming

export interface ProxyGroup {
  readonly name: string
  /** Whether there is a read port, so that replicas have to be known. */
  readonly hasReadPort: boolean
}

/** What the machine is told; ports and files are the shell's. */
export interface ProxyConfig extends ProxyTiming {
  readonly sentinels: readonly Address[]
  readonly groups: readonly ProxyGroup[]
  /** How to log in at the Sentinels and, to ask replicas how far they are, at the data nodes. */
  readonly user: string
  readonly password: string
  /** Whether Sentinels and nodes are spoken to with TLS; only what faults are told with depends on it. */
  readonly usesTls: boolean
  /** Whether masters are told where clients come from, with a PROXY header of this version. */
  readonly sendProxy: 0 | 1 | 2
  /** Clients at the same time, over all ports. */
  readonly maxClients: number
}

export const DEFAULT_PROXY = { bind: ['127.0.0.1'], maxClients: 10_000 } as const
