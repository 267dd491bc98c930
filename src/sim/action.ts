import { unreachable } from '../base/assert.ts'
import { describeShape, type LinkShape } from './link-shape.ts'

/** What can be done to a running world, whatever engine runs it. Processes and hosts go by name. */
export type Action =
  /** SIGKILL, SIGTERM, SIGSTOP, SIGCONT; `start` brings up what is not running and leaves the rest alone. */
  | {
      readonly kind: 'kill' | 'stop' | 'pause' | 'resume' | 'start'
      readonly processes: readonly string[]
    }
  | {
      readonly kind: 'restart'
      readonly processes: readonly string[]
      /** `kept`: with the files it had; `empty`: without any. */
      readonly disk: 'kept' | 'empty'
    }
  /** The event loop hangs for so long: nothing is read, no timer fires, then all at once. */
  | { readonly kind: 'stall'; readonly processes: readonly string[]; readonly forMs: number }
  /** Everything on these hosts dies, and what no disk had been made to sync is gone. */
  | { readonly kind: 'powerLoss'; readonly hosts: readonly string[] }
  /** The host gets another address, as a pod does that is scheduled anew: all on it dies and starts there. */
  | { readonly kind: 'readdress'; readonly host: string; readonly disk: 'kept' | 'empty' }
  /** Hosts in no group stay together as one more group. */
  | { readonly kind: 'partition'; readonly groups: readonly (readonly string[])[] }
  /** What is sent is lost. */
  | { readonly kind: 'cut'; readonly from: string; readonly to: string }
  /** What is sent waits somewhere on the way, in order, until `release` lets all of it through at once. */
  | { readonly kind: 'hold'; readonly from: string; readonly to: string }
  | { readonly kind: 'release' }
  /** The machine on the way, or a firewall there, breaks the connections between them and refuses new ones of `from`. */
  | { readonly kind: 'refuse'; readonly from: string; readonly to: string }
  /** How the ways from one host to another are from now on; undefined: from, or to, every other one. */
  | {
      readonly kind: 'shape'
      readonly from: string | undefined
      readonly to: string | undefined
      readonly shape: LinkShape
    }
  /** Every connection between the two hosts is reset; undefined: with every other host. */
  | { readonly kind: 'reset'; readonly host: string; readonly peer: string | undefined }
  /** Takes back every partition, cut, hold, refusal and shape. */
  | { readonly kind: 'heal' }
  | { readonly kind: 'clockJump'; readonly process: string; readonly byMs: number }
  /** Both clocks of the process run at `rate` from now on: 1.01 is one percent too fast. */
  | { readonly kind: 'clockDrift'; readonly process: string; readonly rate: number }
  /** From now on the disk refuses to write, or takes what is written and fails to sync it. */
  | {
      readonly kind: 'failDisk'
      readonly process: string
      readonly operation: 'write' | 'sync'
      readonly reason: string
    }
  | { readonly kind: 'repairDisk'; readonly process: string }
  | { readonly kind: 'command'; readonly process: string; readonly argv: readonly string[] }

/** One line for traces and timelines. */
export function describeAction(action: Action): string {
  switch (action.kind) {
    case 'kill':
    case 'stop':
    case 'pause':
    case 'resume':
    case 'start':
      return `${action.kind} ${action.processes.join(', ')}`
    case 'restart':
      return `restart ${action.processes.join(', ')}${action.disk === 'empty' ? ' empty' : ''}`
    case 'stall':
      return `${action.processes.join(', ')} hangs for ${action.forMs} ms`
    case 'powerLoss':
      return `power loss at ${action.hosts.join(', ')}`
    case 'readdress':
      return `${action.host} gets another address${action.disk === 'empty' ? ', empty' : ''}`
    case 'partition':
      return `partition ${action.groups.map((hosts) => hosts.join(' ')).join(' | ')}`
    case 'cut':
    case 'hold':
    case 'refuse':
      return `${action.kind} ${action.from} > ${action.to}`
    case 'release':
    case 'heal':
      return action.kind
    case 'shape':
      return `way ${action.from ?? '*'} > ${action.to ?? '*'}: ${describeShape(action.shape)}`
    case 'reset':
      return `connections of ${action.host} with ${action.peer ?? 'all others'} are reset`
    case 'clockJump':
      return `clock of ${action.process} jumps by ${action.byMs} ms`
    case 'clockDrift':
      return `clocks of ${action.process} run at ${action.rate}`
    case 'failDisk':
      return `disk of ${action.process} fails to ${action.operation}: ${action.reason}`
    case 'repairDisk':
      return `disk of ${action.process} works again`
    case 'command':
      return `command to ${action.process}: ${action.argv.join(' ')}`
    default:
      return unreachable(action)
  }
}
