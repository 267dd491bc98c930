/** Fields of INFO that Redis 7.2 to 8 and Valkey have and Redis 7.0 has not, where they have a meaning here. */
import type { CommandContext } from '../context.ts'

type Source = Pick<CommandContext, 'node'>

export function newerServerFields({ node }: Source): Record<string, string> {
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
      .filter(([, port]) => port !== 0)
      .map(([name, port]) => `name=${name},${places},port=${port}`),
    ...(path === '' ? [] : [`name=unix,bind=${path}`]),
  ]
  return {
    availability_zone: settings.text('availability-zone'),
    ...Object.fromEntries(listeners.map((listener, at) => [`listener${at}`, listener])),
  }
}

export function newerClientFields({ node }: Source): Record<string, number> {
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
  }
}
