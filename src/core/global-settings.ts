/**
 * The settings that concern no group in particular and can change at run time. From this table
 * follow their type, SENTINEL CONFIG, what is saved, restored and reloaded, and what a reload
 * writes to the log.
 */

export interface GlobalSetting {
  /** The name of the setting in sentinel.conf and SENTINEL CONFIG. */
  readonly name: string
  readonly kind: 'flag' | 'host' | 'port' | 'text' | 'level'
  /** The place of the setting in the reply of SENTINEL CONFIG GET. */
  readonly place: number
  /** Empty or 0: none. */
  readonly default: string | number | boolean
  /** The log does not show the value. */
  readonly isSecret?: true
}

export const LOG_LEVELS = ['debug', 'verbose', 'notice', 'warning', 'nothing'] as const

const GLOBAL_SETTINGS = {
  /** If empty: the local address of the connection on which the hello goes out. */
  announceIp: { name: 'announce-ip', kind: 'host', place: 2, default: '' },
  /** If 0: `tlsPort` where links use TLS, otherwise `port`. */
  announcePort: { name: 'announce-port', kind: 'port', place: 3, default: 0 },
  /** Hosts may be names. */
  resolveHostnames: { name: 'resolve-hostnames', kind: 'flag', place: 0, default: false },
  /**
   * Hellos and replies name a host by its host name, where one is known, instead of its address.
   */
  announceHostnames: { name: 'announce-hostnames', kind: 'flag', place: 1, default: false },
  /**
   * The user that we log in to peers as, with `sentinelPass`. Without these two we use
   * `requirepass`.
   */
  sentinelUser: { name: 'sentinel-user', kind: 'text', place: 4, default: '' },
  sentinelPass: { name: 'sentinel-pass', kind: 'text', place: 5, default: '', isSecret: true },
  logLevel: { name: 'loglevel', kind: 'level', place: 6, default: 'notice' },
} as const satisfies Readonly<Record<string, GlobalSetting>>

type SettingTable = typeof GLOBAL_SETTINGS
export type GlobalSettingKey = keyof SettingTable

/** The settings that SENTINEL CONFIG SET can change, besides those of the groups. */
export type GlobalSettings = {
  readonly [Key in GlobalSettingKey]: SettingValue<SettingTable[Key]['kind']>
}

type SettingValue<Kind> = Kind extends 'flag'
  ? boolean
  : Kind extends 'port'
    ? number
    : Kind extends 'level'
      ? (typeof LOG_LEVELS)[number]
      : string

/** The rows, with the key of each. */
export const GLOBAL_SETTING_ROWS = Object.entries(GLOBAL_SETTINGS) as readonly (readonly [
  GlobalSettingKey,
  GlobalSetting,
])[]

export const GLOBAL_SETTING_KEYS = GLOBAL_SETTING_ROWS.map(([key]) => key)

export const DEFAULT_SETTINGS = settingsBy((key) => GLOBAL_SETTINGS[key].default)

/** One value for each setting. */
export function settingsBy(read: (key: GlobalSettingKey) => unknown): GlobalSettings {
  const values = GLOBAL_SETTING_KEYS.map((key) => [key, read(key)])
  return Object.fromEntries(values) as unknown as GlobalSettings
}
