/** Fields of INFO that Redis 7.2 to 8 and Valkey have and Redis 7.0 has not, where they have a meaning here. */
import type { PauseCause } from '../sessions/pause.ts'
import type { InfoSource } from './info-lines.ts'

export function newerServerFields({ node }: InfoSource): Record<string, string> {
  const { settings } = node
  const places = settings
    .text('bind')
    .split(' ')
    .map((address) => `bind=${address}`)
    .join(',')
  const ports = [
    ['tcp', settings.int('port')],
    ['tls', settings.int('tls-port')],
  ] as const
  const path = settings.text('unixsocket')
  const listeners = [
    ...ports
      .filter(([, port]) => port !== 0 && settings.text('bind') !== '')
      .map(([name, port]) => `name=${name},${places},port=${port}`),
    ...(path === '' ? [] : [`name=unix,bind=${path}`]),
  ]
  return {
    availability_zone: settings.text('availability-zone'),
    ...Object.fromEntries(listeners.map((listener, at) => [`listener${at}`, listener])),
  }
}

/** Refusals of the access control, since Redis 7.2. */
export function newerStatsFields({ node }: InfoSource): Record<string, number> {
  const { auth, command, key, channel } = node.access.log.denied
  return {
    acl_access_denied_auth: auth,
    acl_access_denied_cmd: command,
    acl_access_denied_key: key,
    acl_access_denied_channel: channel,
  }
}

export function newerClientFields({ node, now }: InfoSource): Record<string, number | string> {
  let [listening, watching, watched] = [0, 0, 0]
  const awaited = new Set<string>()
  for (const session of node.sessions) {
    if (session.isSubscribed) listening++
    if (session.watch !== undefined) watching++
    watched += session.watch?.size ?? 0
    const { wait } = session.blocked ?? {}
    for (const key of wait?.keys ?? []) awaited.add(`${wait?.db} ${key}`)
  }
  return {
    pubsub_clients: listening,
    watching_clients: watching,
    total_watched_keys: watched,
    total_blocking_keys: awaited.size,
    ...pauseFields({ node, now }),
  }
}

/** Why commands wait, in the words of Valkey 8; causes that it does not know are called what they are here. */
function pauseFields({ node: { pause }, now }: InfoSource): Record<string, number | string> {
  const { scope, cause, untilMs } = pause
  return {
    paused_reason: cause === undefined ? 'none' : (PAUSE_REASONS[cause] ?? cause),
    paused_actions: scope === undefined ? 'none' : scope === 'writes' ? 'write' : 'all',
    paused_timeout_milliseconds: Math.max(0, Math.ceil((untilMs ?? now.monoMs) - now.monoMs)),
  }
}

const PAUSE_REASONS: Partial<Record<PauseCause, string>> = {
  client: 'client_pause',
  failover: 'failover_in_progress',
}
