import { unreachable } from '../base/assert.ts'

/** What can be done to a running world, whatever engine runs it. Processes and hosts go by name. */
export type Action =
  /** SIGKILL, SIGTERM, SIGSTOP and SIGCONT. */
  | {
      readonly kind: 'kill' | 'stop' | 'pause' | 'resume'
      readonly processes: readonly string[]
    }
  | {
      readonly kind: 'restart'
      readonly processes: readonly string[]
      /** `kept`: with the files it had; `empty`: without any. */
      readonly disk: 'kept' | 'empty'
    }
  /** Hosts in no group stay together as one more group. */
  | { readonly kind: 'partition'; readonly groups: readonly (readonly string[])[] }
  | { readonly kind: 'cut'; readonly from: string; readonly to: string }
  /** Takes back every partition and cut. */
  | { readonly kind: 'heal' }
  | { readonly kind: 'clockJump'; readonly process: string; readonly byMs: number }
  | { readonly kind: 'failDisk'; readonly process: string; readonly reason: string }
  | { readonly kind: 'repairDisk'; readonly process: string }
  | { readonly kind: 'command'; readonly process: string; readonly argv: readonly string[] }

/** One line for traces and timelines. */
export function describeAction(action: Action): string {
  switch (action.kind) {
    case 'kill':
    case 'stop':
    case 'pause':
    case 'resume':
      return `${action.kind} ${action.processes.join(', ')}`
    case 'restart':
      return `restart ${action.processes.join(', ')}${action.disk === 'empty' ? ' empty' : ''}`
    case 'partition':
      return `partition ${action.groups.map((hosts) => hosts.join(' ')).join(' | ')}`
    case 'cut':
      return `cut ${action.from} > ${action.to}`
    case 'heal':
      return 'heal'
    case 'clockJump':
      return `clock of ${action.process} jumps by ${action.byMs} ms`
    case 'failDisk':
      return `disk of ${action.process} fails: ${action.reason}`
    case 'repairDisk':
      return `disk of ${action.process} works again`
    case 'command':
      return `command to ${action.process}: ${action.argv.join(' ')}`
    default:
      return unreachable(action)
  }
}
