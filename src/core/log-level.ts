/** Redis' own levels, lowest first. */
export type LogLevel = 'debug' | 'verbose' | 'notice' | 'warning'
