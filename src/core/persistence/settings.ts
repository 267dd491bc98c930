/** The settings that concern no group in particular, and what follows at once when one is changed. */
import type { SentinelConfig } from '../config.ts'
import { type GlobalSettings, settingsBy } from '../global-settings.ts'
import { dropPeerLinks } from '../links/links.ts'
import type { Turn } from '../state.ts'
import { emit } from '../turn.ts'

export function settingsOf(config: SentinelConfig): GlobalSettings {
  return settingsBy((key) => config[key])
}

/** Puts settings in force. The caller saves. */
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
