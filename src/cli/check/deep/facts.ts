/** What `vedette check --deep` has seen of each program: facts only, so that judging them takes no connection. */
import type { InstanceFields } from '../../status/view.ts'
import type { RightTest } from './rights.ts'

/** The certificate a program showed; the handshake itself may have been refused by us. */
export interface CertificateSight {
  readonly validToMs: number
  /** Whether it names the host at which we asked. */
  readonly coversHost: boolean
  readonly names: string
}

/** What is seen of any program, node or Sentinel. */
export interface SeenProgram {
  /** `host:port` at which we asked. */
  readonly address: string
  /** Why it could not be looked at; undefined if it was. */
  readonly failure: string | undefined
  /** How to mend that; may be empty. */
  readonly hint: string
  readonly certificate: CertificateSight | undefined
  readonly info: ReadonlyMap<string, string>
  /** Its own settings: CONFIG GET, or SENTINEL CONFIG GET. Undefined if it does not tell. */
  readonly settings: ReadonlyMap<string, string> | undefined
  /** Why it does not tell them. */
  readonly settingsRefusal: string
  readonly rights: readonly RightTest[]
  /** How far its wall clock is ahead of ours. Undefined if it does not tell. */
  readonly clockMs: number | undefined
}

export interface SeenNode extends SeenProgram {
  /** The user we logged in as. */
  readonly user: string
  /** What named this address: `sentinel.yml`, `its master`. */
  readonly namedBy: string
}

export interface SeenSentinel extends SeenProgram {
  /** Whether it is the one that the file configures. */
  readonly isOwn: boolean
  /** What named this address: `sentinel.yml`, `Sentinel 10.0.0.1:26379`. */
  readonly namedBy: string
  readonly user: string
  /** 40 hex characters; empty if unknown. */
  readonly myid: string
  readonly groups: readonly InstanceFields[]
  /** The addresses of the others it knows, and of the replicas, by group. */
  readonly peers: ReadonlyMap<string, readonly string[]>
  readonly replicas: ReadonlyMap<string, readonly string[]>
}

/** The failure of a program that was still being asked when the time was over. */
export const OUT_OF_TIME = 'it was not asked everything, because the time was over'

export const NOTHING_SEEN = {
  failure: undefined,
  hint: '',
  certificate: undefined,
  info: new Map<string, string>(),
  settings: undefined,
  settingsRefusal: '',
  rights: [],
  clockMs: undefined,
} as const

export function isReached({ failure }: SeenProgram): boolean {
  return failure === undefined
}
