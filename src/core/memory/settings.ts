/** The settings that concern no group in particular, and what follows at once when one is changed. */
import type { GlobalSettings, SentinelConfig } from '../config.ts'
import { dropPeerLinks } from '../links.ts'
import type { Turn } from '../state.ts'
import { emit } from '../turn.ts'

export function settingsOf(config: SentinelConfig): GlobalSettings {
  return {
    announceIp: config.announceIp,
    announcePort: config.announcePort,
    resolveHostnames: config.resolveHostnames,
    announceHostnames: config.announceHostnames,
    sentinelUser: config.sentinelUser,
    sentinelPass: config.sentinelPass,
    logLevel: config.logLevel,
  }
}

/** Puts settings in force. Whoever calls this saves. */
export function changeSettings(turn: Turn, settings: GlobalSettings): void {
  const before = turn.state.config
  turn.state.config = { ...before, ...settings }
  if (settings.logLevel !== before.logLevel) {
    emit(turn, { kind: 'setLogLevel', level: settings.logLevel })
  }
  const { sentinelUser, sentinelPass } = settings
  if (sentinelUser !== before.sentinelUser || sentinelPass !== before.sentinelPass) {
    dropPeerLinks(turn)
  }
}
