/**
 * What a Sentinel's configuration file says, whichever of its two forms it was written in. `core` is
 * for the machine, `learnt` for its memory, the rest for the program around it.
 *
 * Names, users and passwords are byte strings; paths are ordinary text.
 */
import { DEFAULT_SENTINEL, type SentinelConfig } from '../core/config.ts'
import type { LogLevel } from '../core/log-level.ts'
import type { SavedGroup, SavedState } from '../core/memory/saved.ts'
import type { Fatal } from './fatal.ts'
import type { Location, Problem } from './problem.ts'
import { NO_TLS, type TlsOptions } from './tls-options.ts'

export interface SentinelFile {
  /** The file's name, as problems show it. */
  readonly name: string
  readonly core: SentinelConfig
  readonly listen: Listen
  /** [dir] Folder of the state file; undefined: the folder of the configuration file. */
  readonly stateDir: string | undefined
  /** Name of the state file in it; undefined: see `stateFileName`. */
  readonly stateFile: string | undefined
  readonly logLevel: LogLevel | 'nothing'
  /** [logfile] Empty: standard output. */
  readonly logFile: string
  /** [bind-source-addr] Local address of outgoing connections; empty: the kernel chooses. */
  readonly bindSourceAddr: string
  readonly tls: TlsOptions
  /** [aclfile] Empty: users stand in the configuration file. */
  readonly aclFile: string
  /** [daemonize] */
  readonly daemonize: boolean
  /** [pidfile] Empty: none. */
  readonly pidFile: string
  /** [supervised] Whom to tell that we are ready. */
  readonly supervised: 'no' | 'auto' | 'systemd' | 'upstart'
  /** [client-output-buffer-limit pubsub] A client with more than this waiting to be sent is cut off. */
  readonly outputLimitBytes: number
  /** How many Sentinels the operator means to run, this one included. Only for advice. */
  readonly sentinels: number | undefined
  /** What a sentinel.conf has been told by Redis to remember; counts only while no state file exists. */
  readonly learnt: LearntState | undefined
  /** Where options stand, by `groups.<name>.<option>` or `<option>` in the words of sentinel.yml. */
  readonly locations: ReadonlyMap<string, Location>
}

export interface Listen {
  /** As in redis.conf: `*` all IPv4, `::*` all IPv6; after a `-`, failing to bind is no error. */
  readonly bind: readonly string[]
  /** 0: do not listen. */
  readonly port: number
  /** [protected-mode] Without a password, refuse clients that are not on this machine. */
  readonly protectedMode: boolean
}

/** A SavedState that may lack an identity. */
export interface LearntState {
  readonly myid: string | undefined
  readonly currentEpoch: number
  readonly groups: readonly SavedGroup[]
}

export type ParsedSentinelFile =
  | { readonly ok: true; readonly value: SentinelFile; readonly warnings: readonly Problem[] }
  /** Errors, and the warnings that were found beside them. */
  | {
      readonly ok: false
      readonly problems: readonly Problem[]
      /** What Redis would have stopped at; undefined for a sentinel.yml, which Redis does not read. */
      readonly fatal: Fatal | undefined
    }

export const DEFAULT_FILE = {
  listen: { bind: ['*', '-::*'], port: DEFAULT_SENTINEL.port, protectedMode: false },
  stateDir: undefined,
  stateFile: undefined,
  logLevel: 'notice',
  logFile: '',
  bindSourceAddr: '',
  tls: NO_TLS,
  aclFile: '',
  daemonize: false,
  pidFile: '',
  supervised: 'no',
  outputLimitBytes: 32 * 1024 * 1024,
  sentinels: undefined,
} as const

/** Two Sentinels may share a folder, but not a port: so the port tells their memories apart. */
export function stateFileName(file: SentinelFile): string {
  return file.stateFile ?? `sentinel-${file.core.port || file.core.tlsPort}.state`
}

/** The first content of the state file, when there is none: `drawMyid` gives 40 hex characters. */
export function toSavedState(learnt: LearntState, drawMyid: () => string): SavedState {
  const { myid, currentEpoch, groups } = learnt
  return {
    myid: myid ?? drawMyid(),
    currentEpoch,
    groups,
    removed: [],
    settings: undefined,
    users: undefined,
  }
}

/** Says where an option of the file stands; falls back to the bare name. */
export function locationOf(file: SentinelFile, option: string): Location {
  return file.locations.get(option) ?? { line: undefined, column: undefined, path: option }
}
