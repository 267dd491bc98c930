/** What a replica says of itself when it introduces itself, by its settings. */
import type { Settings } from '../../settings/settings.ts'
import type { HandshakeTerms } from './handshake.ts'

export function introduction(
  settings: Settings,
): Pick<HandshakeTerms, 'user' | 'password' | 'listeningPort' | 'announcedHost'> {
  return {
    user: settings.text('masteruser'),
    password: settings.text('masterauth'),
    listeningPort: settings.int('replica-announce-port') || ownPort(settings),
    announcedHost: settings.text('replica-announce-ip'),
  }
}

/** Where those who connect as we do, with TLS or without, reach us. */
function ownPort(settings: Settings): number {
  const securePort = settings.flag('tls-replication') ? settings.int('tls-port') : 0
  return securePort || settings.int('port')
}
