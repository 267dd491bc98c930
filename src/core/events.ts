import type { LogLevel } from './log-level.ts'
import type { Group, Instance, Turn } from './state.ts'
import { publish } from './subscriptions.ts'
import { log } from './turn.ts'

/**
 * Events are how a Sentinel tells the world: the name is the channel, the payload the message, and the
 * same words go to the log. Names and payloads are the contract clients and operators parse. This one is
 * about an instance, which its payload describes, with `more` behind it.
 */
export function announce(
  turn: Turn,
  level: LogLevel,
  channel: string,
  instance: Instance,
  more = '',
): void {
  const payload = more === '' ? describe(instance) : `${describe(instance)} ${more}`
  announceText(turn, level, channel, instance.group, payload)
}

/** An event whose payload describes no instance. It may still belong to a group. */
export function announceText(
  turn: Turn,
  level: LogLevel,
  channel: string,
  _group: Group | undefined,
  payload: string,
): void {
  log(turn, level, payload === '' ? channel : `${channel} ${payload}`)
  publish(turn, channel, payload)
}

/** `<type> <name> <ip> <port>`, and for all but masters ` @ <group> <master-ip> <master-port>`. */
export function describe(instance: Instance): string {
  const own = `${wireType(instance)} ${instance.name} ${instance.host} ${instance.port}`
  if (instance.kind === 'master') return own
  const { config } = instance.group
  return `${own} @ ${config.name} ${config.host} ${config.port}`
}

/** The wire keeps Sentinel's words, because clients parse them. */
function wireType(instance: Instance): string {
  return instance.kind === 'replica' ? 'slave' : instance.kind
}
