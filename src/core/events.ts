import type { LogLevel } from './log-level.ts'
import { shownHost } from './names/names.ts'
import { callNotificationScript } from './scripts/script-calls.ts'
import type { Group, Instance, State, Turn } from './state.ts'
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
  const described = describe(turn.state, instance)
  const payload = more === '' ? described : `${described} ${more}`
  announceText(turn, level, channel, instance.group, payload)
}

/**
 * An event whose payload describes no instance. It may still belong to a group, and then that group's
 * notification script hears of it if it is a warning. What is only for debugging goes to the log alone.
 */
export function announceText(
  turn: Turn,
  level: LogLevel,
  channel: string,
  group: Group | undefined,
  payload: string,
): void {
  log(turn, level, payload === '' ? channel : `${channel} ${payload}`)
  if (level !== 'debug') publish(turn, channel, payload)
  if (level === 'warning' && group !== undefined) {
    callNotificationScript(turn, group, channel, payload)
  }
}

/** `<type> <name> <ip> <port>`, and for all but masters ` @ <group> <master-ip> <master-port>`. */
export function describe(state: State, instance: Instance): string {
  const host = shownHost(state, instance.host)
  const own = `${wireType(instance)} ${instance.name} ${host} ${instance.port}`
  if (instance.kind === 'master') return own
  const { config } = instance.group
  return `${own} @ ${config.name} ${shownHost(state, config.host)} ${config.port}`
}

/** The wire keeps Sentinel's words, because clients parse them. */
function wireType(instance: Instance): string {
  return instance.kind === 'replica' ? 'slave' : instance.kind
}
