/**
 * What a Sentinel's configuration file says, in whichever of its two forms it was written. `core`
 * is for the machine, `learnt` for its state, the rest for the program around it.
 *
 * Names, users and passwords are byte strings; paths are ordinary text.
 */
import type { LogFormat } from '../base/log-format.ts'
import { DEFAULT_SENTINEL, type SentinelConfig } from '../core/config.ts'
import type { LogLevel } from '../core/log-level.ts'
import type { SavedGroup, SavedState } from '../core/persistence/saved.ts'
import type { WebhookConfig } from '../hooks/webhook-config.ts'
import type { Fatal } from './fatal.ts'
import { type HttpOptions, NO_HTTP } from './http-options.ts'
import type { Location, Problem } from './problem.ts'
import type { ProxyFile } from './proxy-file.ts'
import { NO_TLS, type TlsOptions } from './tls-options.ts'

/** Which of the two forms a file has, by its name: also that of an example or a copy, such as sentinel.yml.example. */
export function isYml(path: string): boolean {
  return /\.ya?ml(\.[^./\\]+)?$/i.test(path)
}

export interface SentinelFile {
  /** The file's name, as shown in problems. */
  readonly name: string
  readonly core: SentinelConfig
  readonly listen: Listen
  /** [dir] Folder of the state file; undefined for the folder of the configuration file. */
  readonly stateDir: string | undefined
  /** Name of the state file in that folder, or its path [state-config-file]; undefined: see `stateFileName`. */
  readonly stateFile: string | undefined
  readonly logLevel: LogLevel | 'nothing'
  /** [logfile] Empty means standard output. */
  readonly logFile: string
  /** [log-format] */
  readonly logFormat: LogFormat
  /** [bind-source-addr] Local address of outgoing connections; if empty, the kernel chooses. */
  readonly bindSourceAddr: string
  readonly tls: TlsOptions
  readonly http: HttpOptions
  readonly blackBox: BlackBoxOptions
  /** [aclfile] Empty if the users are in the configuration file. */
  readonly aclFile: string
  /** [daemonize] */
  readonly daemonize: boolean
  /** [pidfile] Empty for none. */
  readonly pidFile: string
  /** [supervised] The service manager that is told when we are ready. */
  readonly supervised: 'no' | 'auto' | 'systemd' | 'upstart'
  /**
   * [client-output-buffer-limit pubsub] A client with more unsent output than this is disconnected.
   */
  readonly outputLimitBytes: number
  /** Where events are sent over HTTP; a sentinel.conf has no directive for it. */
  readonly webhooks: readonly WebhookConfig[]
  /** The proxy that runs in the same process; undefined: none does. */
  readonly proxy: ProxyFile | undefined
  /** How many Sentinels the operator plans to run, including this one. Only for advice. */
  readonly sentinels: number | undefined
  /** What Redis wrote into a sentinel.conf to remember; used only while no state file exists. */
  readonly learnt: LearntState | undefined
  /**
   * Where options are set, by `groups.<name>.<option>` or `<option>` in the words of sentinel.yml.
   */
  readonly locations: ReadonlyMap<string, Location>
}

export interface BlackBoxOptions {
  /** [black-box] Undefined: the file does not say, see `keepsRecord`. */
  readonly isOn: boolean | undefined
  /** [black-box-size] [black-box-days] What does not fit, and what is older, is removed. Undefined: see `usualBytes`. */
  readonly maxBytes: number | undefined
  readonly maxDays: number
}

export interface Listen {
  /**
   * As in redis.conf: `*` means all IPv4, `::*` all IPv6; after a `-`, failing to bind is no error.
   */
  readonly bind: readonly string[]
  /** 0 means not to listen. */
  readonly port: number
  /** [protected-mode] Without a password, refuse clients that are not on this machine. */
  readonly protectedMode: boolean
}

/** A SavedState that may have no identity yet. */
export interface LearntState {
  readonly myid: string | undefined
  /** As the file has it; a group may know of a later one (`highestEpoch`). */
  readonly currentEpoch: number
  readonly groups: readonly SavedGroup[]
}

export type ParsedSentinelFile =
  | { readonly ok: true; readonly value: SentinelFile; readonly warnings: readonly Problem[] }
  /** Errors, and the warnings found along with them. */
  | {
      readonly ok: false
      readonly problems: readonly Problem[]
      /**
       * The error Redis would have stopped at; undefined for a sentinel.yml, which Redis does not
       * read.
       */
      readonly fatal: Fatal | undefined
    }

export const DEFAULT_FILE = {
  listen: { bind: ['*', '-::*'], port: DEFAULT_SENTINEL.port, protectedMode: false },
  stateDir: undefined,
  stateFile: undefined,
  logLevel: 'notice',
  logFile: '',
  logFormat: 'auto',
  bindSourceAddr: '',
  tls: NO_TLS,
  http: NO_HTTP,
  blackBox: { isOn: undefined, maxBytes: undefined, maxDays: 14 },
  aclFile: '',
  daemonize: false,
  pidFile: '',
  supervised: 'no',
  outputLimitBytes: 32 * 1024 * 1024,
  webhooks: [],
  proxy: undefined,
  sentinels: undefined,
} as const

/** Two Sentinels may share a folder, but not a port, so the port tells their state files apart. */
export function stateFileName(file: SentinelFile): string {
  return file.stateFile ?? `sentinel-${file.core.port || file.core.tlsPort}.state`
}

/**
 * The first content of the state file, if there is none yet: `drawMyid` returns 40 hex characters.
 */
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

/** Where an option is set in the file; falls back to the option's name alone. */
export function locationOf(file: SentinelFile, option: string): Location {
  return file.locations.get(option) ?? { line: undefined, column: undefined, path: option }
}
