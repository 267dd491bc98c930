/** The processes and hosts an action names, and the same action with other names. */
import { unreachable } from '../../base/assert.ts'
import type { Action } from '../../sim/action.ts'

export interface Renaming {
  process(name: string): string
  host(name: string): string
}

export function renamed(action: Action, by: Renaming): Action {
  const host = (name: string | undefined) => (name === undefined ? undefined : by.host(name))
  switch (action.kind) {
    case 'kill':
    case 'stop':
    case 'pause':
    case 'resume':
    case 'start':
    case 'restart':
    case 'stall':
      return { ...action, processes: action.processes.map((name) => by.process(name)) }
    case 'clockJump':
    case 'clockDrift':
    case 'failDisk':
    case 'repairDisk':
    case 'command':
      return { ...action, process: by.process(action.process) }
    case 'powerLoss':
      return { ...action, hosts: action.hosts.map((name) => by.host(name)) }
    case 'partition':
      return { ...action, groups: action.groups.map((hosts) => hosts.map((one) => by.host(one))) }
    case 'readdress':
      return { ...action, host: by.host(action.host) }
    case 'reset':
      return { ...action, host: by.host(action.host), peer: host(action.peer) }
    case 'cut':
    case 'hold':
    case 'refuse':
      return { ...action, from: by.host(action.from), to: by.host(action.to) }
    case 'shape':
      return { ...action, from: host(action.from), to: host(action.to) }
    case 'release':
    case 'heal':
      return action
    default:
      return unreachable(action)
  }
}

/** Every name of a process or a host in an action, in their order. */
export function namesIn(action: Action): readonly string[] {
  const names: string[] = []
  const note = (name: string): string => {
    names.push(name)
    return name
  }
  renamed(action, { process: note, host: note })
  return names
}
