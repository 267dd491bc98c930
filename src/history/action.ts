/**
 * What can be done to a running world, whatever engine runs it: the one vocabulary of faults. A row
 * below says how reports word a kind of action and how it affects the processes it names.
 * `sim/faults.ts` carries actions out in the simulator and `engine/process/faults.ts` on real
 * processes; `scenario/language/actions.ts` says how a file asks for them.
 */
import { describeLie, type Lie } from './lie.ts'
import { describeShape, type LinkShape } from './link-shape.ts'

/** Actions name processes and hosts by their names. */
export type Action =
  /**
   * SIGKILL, SIGTERM, SIGSTOP, SIGCONT; `start` starts what is not running and leaves the rest
   * alone.
   */
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
  /**
   * The event loop hangs for this long: it reads nothing and no timer fires, then everything comes
   * at once.
   */
  | { readonly kind: 'stall'; readonly processes: readonly string[]; readonly forMs: number }
  /** Every process on these hosts dies, and what no disk had synced is lost. */
  | { readonly kind: 'powerLoss'; readonly hosts: readonly string[] }
  /**
   * The host gets another address, like a pod that is scheduled anew: every process on it dies and
   * starts again there.
   */
  | { readonly kind: 'readdress'; readonly host: string; readonly disk: 'kept' | 'empty' }
  /** Hosts in no group stay together as one more group. */
  | { readonly kind: 'partition'; readonly groups: readonly (readonly string[])[] }
  /** What `from` sends is lost. */
  | { readonly kind: 'cut'; readonly from: string; readonly to: string }
  /**
   * What `from` sends waits on the way, in order, until `release` lets all of it through at once.
   */
  | { readonly kind: 'hold'; readonly from: string; readonly to: string }
  | { readonly kind: 'release' }
  /**
   * A machine on the way, or a firewall there, breaks the connections between the two hosts and
   * refuses new ones from `from`.
   */
  | { readonly kind: 'refuse'; readonly from: string; readonly to: string }
  /**
   * How the paths from one host to another behave from now on; undefined: from, or to, every other
   * host.
   */
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
  /** From now on the disk refuses to write, or accepts what is written and fails to sync it. */
  | {
      readonly kind: 'diskFailure'
      readonly process: string
      readonly operation: 'write' | 'sync'
      readonly reason: string
    }
  /** From now on whatever must reach the disk takes this much longer, and then is there. */
  | { readonly kind: 'diskDelay'; readonly process: string; readonly byMs: number }
  /** The disk works, and as fast as usual. */
  | { readonly kind: 'diskRepair'; readonly process: string }
  /** A Sentinel starts again with its state file as it was so long ago: from a backup. */
  | { readonly kind: 'rollBack'; readonly process: string; readonly byMs: number }
  /**
   * A data node finds this share of its heap in use by what it must keep: 0 gives the memory back.
   */
  | { readonly kind: 'memoryUse'; readonly process: string; readonly share: number }
  /** Nothing is done: the sizes of all machines are noted. */
  | { readonly kind: 'measure' }
  | { readonly kind: 'command'; readonly process: string; readonly argv: readonly string[] }
  /**
   * A liar says something to these processes, or from now on answers every process that connects in
   * this way.
   */
  | {
      readonly kind: 'lie'
      readonly process: string
      readonly audience: readonly string[]
      readonly lie: Lie
    }

export type ActionKind = Action['kind']

type ActionOf<Kind extends ActionKind> = Action & { readonly kind: Kind }

/** How an action affects a process: an effect begins, an effect ends, or it is over by itself. */
export interface Felt {
  readonly begins?: string
  readonly ends?: string
  readonly forMs?: number
}

interface ActionRow<Kind extends ActionKind> {
  /** One line for traces and timelines. */
  readonly text: (action: ActionOf<Kind>) => string
  /** The action only takes back what others did, and explains no failure. */
  readonly mends?: (action: ActionOf<Kind>) => boolean
  /**
   * How the action affects the processes it names. Absent: not at all, or only in a way that is
   * visible anyhow (they go down, or their messages do not arrive).
   */
  readonly felt?: (action: ActionOf<Kind>) => Felt
}

/** Time in which a broken connection is opened again and late input is processed. */
export const AFTERMATH_MS = 2_000
/** How long the effects of a command may last: a pause, a synchronisation, another role. */
const COMMAND_MS = 60_000
/** How long TILT lasts, which a jump of the clock may cause, and some time to recover from it. */
const JUMP_MS = 35_000

const always = (): boolean => true
const toProcesses = ({ kind, processes }: { kind: string; processes: readonly string[] }): string =>
  `${kind} ${processes.join(', ')}`
const oneWay = ({ kind, from, to }: { kind: string; from: string; to: string }): string =>
  `${kind} ${from} > ${to}`

const ROWS: { readonly [Kind in ActionKind]: ActionRow<Kind> } = {
  kill: { text: toProcesses },
  // Until the stopping node is gone it holds writes back, and with our hellos the PINGs behind
  // them.
  stop: { text: toProcesses, felt: () => ({ begins: 'stopping' }) },
  pause: { text: toProcesses },
  resume: { text: toProcesses, mends: always },
  start: { text: toProcesses, mends: always },
  restart: { text: (one) => `${toProcesses(one)}${one.disk === 'empty' ? ' empty' : ''}` },
  stall: {
    text: ({ processes, forMs }) => `${processes.join(', ')} hangs for ${forMs} ms`,
    felt: ({ forMs }) => ({ forMs: forMs + AFTERMATH_MS }),
  },
  powerLoss: { text: ({ hosts }) => `power loss at ${hosts.join(', ')}` },
  readdress: {
    text: ({ host, disk }) => `${host} gets another address${disk === 'empty' ? ', empty' : ''}`,
  },
  partition: {
    text: ({ groups }) => `partition ${groups.map((hosts) => hosts.join(' ')).join(' | ')}`,
  },
  cut: { text: oneWay },
  hold: { text: oneWay },
  release: { text: ({ kind }) => kind, mends: always },
  refuse: { text: oneWay },
  shape: {
    text: ({ from, to, shape }) => `way ${from ?? '*'} > ${to ?? '*'}: ${describeShape(shape)}`,
    mends: ({ shape }) => Object.keys(shape).length === 0,
  },
  reset: {
    text: ({ host, peer }) => `connections of ${host} with ${peer ?? 'all others'} are reset`,
  },
  heal: { text: ({ kind }) => kind, mends: always },
  clockJump: {
    text: ({ process, byMs }) => `clock of ${process} jumps by ${byMs} ms`,
    felt: () => ({ forMs: JUMP_MS }),
  },
  clockDrift: {
    text: ({ process, rate }) => `clocks of ${process} run at ${rate}`,
    felt: ({ rate }) => (rate === 1 ? { ends: 'drift' } : { begins: 'drift' }),
  },
  diskFailure: {
    text: ({ process, operation, reason }) => `disk of ${process} fails to ${operation}: ${reason}`,
    felt: () => ({ begins: 'disk' }),
  },
  diskDelay: {
    text: ({ process, byMs }) => `disk of ${process} is slower by ${byMs} ms`,
    // What was handed to the disk right before it was repaired is late, too.
    felt: ({ byMs }) => ({ begins: 'disk', forMs: 2 * byMs + AFTERMATH_MS }),
  },
  rollBack: {
    text: ({ process, byMs }) => `${process} restarts with its state of ${byMs} ms ago`,
  },
  memoryUse: {
    text: ({ process, share }) => `${process} has ${Math.round(share * 100)} % of its heap in use`,
    mends: ({ share }) => share === 0,
    felt: ({ share }) => (share === 0 ? { ends: 'memory' } : { begins: 'memory' }),
  },
  measure: { text: () => 'sizes are measured', mends: always },
  diskRepair: {
    text: ({ process }) => `disk of ${process} works again`,
    mends: always,
    felt: () => ({ ends: 'disk' }),
  },
  command: {
    text: ({ process, argv }) => `command to ${process}: ${argv.join(' ')}`,
    felt: ({ argv }) => ({
      forMs: COMMAND_MS,
      ...(changesRules(argv) ? { begins: 'rules' } : {}),
      ...(isOrder(argv, 'PAUSE') ? { begins: 'paused failover' } : {}),
      ...(isOrder(argv, 'RESUME') ? { ends: 'paused failover' } : {}),
    }),
  },
  // What a liar says to one process is passed on to all, so the lie does not only affect those it
  // names.
  lie: {
    text: ({ process, audience, lie }) => {
      const to = audience.length === 0 ? '' : ` to ${audience.join(', ')}`
      return `${process} lies${to}: ${describeLie(lie)}`
    },
  },
}

function rowOf(kind: ActionKind): ActionRow<ActionKind> {
  return ROWS[kind] as ActionRow<ActionKind>
}

/** One line for traces and timelines. */
export function describeAction(action: Action): string {
  return rowOf(action.kind).text(action)
}

/**
 * The words of a command, with the places of processes filled in: `{host:n2}` and `{port:n2}` are where n2 is at that
 * moment, which no file can know.
 */
export function filledIn(
  argv: readonly string[],
  placeOf: (process: string) => { readonly host: string; readonly port: number },
): readonly string[] {
  return argv.map((word) => {
    const [, what, process = ''] = PLACE.exec(word) ?? []
    if (what === undefined) return word
    const { host, port } = placeOf(process)
    return what === 'host' ? host : String(port)
  })
}

/** The processes whose places stand in the words of a command. */
export function placesIn(argv: readonly string[]): readonly string[] {
  return argv.flatMap((word) => PLACE.exec(word)?.[2] ?? [])
}

const PLACE = /^\{(host|port):(.+)\}$/

/** Two words for the place of a process. */
export function placeWords(process: string): readonly [string, string] {
  return [`{host:${process}}`, `{port:${process}}`]
}

/** The action only takes back what others did. */
export function mends(action: Action): boolean {
  return rowOf(action.kind).mends?.(action) ?? false
}

/** How the action affects the processes it names, beyond what is visible. */
export function feltOf(action: Action): Felt | undefined {
  return rowOf(action.kind).felt?.(action)
}

/** After these commands a Sentinel or a node follows other rules than the topology says. */
function changesRules(argv: readonly string[]): boolean {
  const words = argv.map((word) => word.toUpperCase())
  if (words[0] === 'CONFIG') return words[1] === 'SET'
  return words[0] === 'SENTINEL' && ['SET', 'MONITOR', 'REMOVE', 'RESET'].includes(words[1] ?? '')
}

/** An order to a Sentinel about automatic failover. */
function isOrder(argv: readonly string[], order: 'PAUSE' | 'RESUME'): boolean {
  return argv[0]?.toUpperCase() === 'SENTINEL' && argv[1]?.toUpperCase() === order
}

type ActionField = Action extends infer One ? (One extends One ? keyof One : never) : never

/** Whether a field of an action names processes, hosts or nothing. */
const FIELDS: Readonly<Record<ActionField, 'process' | 'host' | 'nothing'>> = {
  ...{ process: 'process', processes: 'process', audience: 'process' },
  ...{ host: 'host', hosts: 'host', groups: 'host', peer: 'host', from: 'host', to: 'host' },
  ...{ kind: 'nothing', disk: 'nothing', forMs: 'nothing', shape: 'nothing', byMs: 'nothing' },
  ...{ rate: 'nothing', operation: 'nothing', reason: 'nothing', argv: 'nothing', lie: 'nothing' },
  ...{ share: 'nothing' },
}

export interface Renaming {
  process(name: string): string
  host(name: string): string
}

/** The same action with other names. */
export function renamed(action: Action, by: Renaming): Action {
  const fields = Object.entries(action).map(([field, value]) => {
    const what = FIELDS[field as ActionField]
    return [field, what === 'nothing' ? value : renamedIn(value, (name) => by[what](name))]
  })
  return Object.fromEntries(fields) as Action
}

/** A name, a list of names, a list of lists, or none. */
type NameTree = string | undefined | readonly NameTree[]

function renamedIn(value: NameTree, rename: (name: string) => string): NameTree {
  if (value === undefined) return undefined
  return typeof value === 'string' ? rename(value) : value.map((one) => renamedIn(one, rename))
}

/** Every name of a process or a host in an action, in order. */
export function namesIn(action: Action): readonly string[] {
  const names: string[] = []
  const note = (name: string): string => {
    names.push(name)
    return name
  }
  renamed(action, { process: note, host: note })
  return names
}
