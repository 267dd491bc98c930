/**
 * The parts around a Sentinel on a stage: a master, its replicas and the other Sentinels. Each answers as
 * real ones do, until a test gives it other words. They know one another by name: `master`, `replica1`,
 * `peer1`.
 */
import { formatHello, type Hello, parseHello } from '../../src/core/discovery/hello-format.ts'
import { array, bulk, error, integer, OK, type Reply, simple } from '../../src/resp/reply.ts'

export interface Part {
  readonly name: string
  readonly host: string
  readonly port: number
  runId: string
  /**
   * `hangs`: accepts connections and commands, but never answers. `refuses`: no process listens. `gone`:
   * packets to it are lost.
   */
  mood: 'answers' | 'hangs' | 'refuses' | 'gone'
  /** How long it takes to answer. */
  delayMs: number
  /** Its own words for a command; undefined means the usual ones. */
  says: (argv: readonly string[]) => Reply | undefined
  /** Data nodes: `host:port` of the master it follows; undefined for a master. */
  master: string | undefined
  /** Data nodes: as a master it continues a history that was another's before. */
  wasReplica: boolean
  /** Data nodes: whether it obeys SLAVEOF. */
  obeys: boolean
  offset: number
  linkUp: boolean
  /** Data nodes: additional lines of INFO, and the names of those it leaves out. */
  readonly moreInfo: string[]
  readonly lessInfo: string[]
  /** Sentinels: its opinion, its vote when asked, and whether it says hello every two seconds. */
  seesDown: boolean
  votesFor: 'candidate' | 'nobody' | string
  talks: boolean
  /** Sentinels: its answer when we confer; undefined if it does not know the command, like C Sentinel. */
  counsel: { refused: boolean; granted: boolean; epoch: number } | undefined
  /** Sentinels: what its hellos say about the group. */
  view: { master: string; configEpoch: number; currentEpoch: number }
}

export type Cast = ReadonlyMap<string, Part>

export const MASTER_ADDRESS = '10.0.0.1:6379'

export function createPart(name: string): Part {
  const digit = Number(name.at(-1))
  const isPeer = name.startsWith('peer')
  const [host, port] = isPeer
    ? [`10.1.0.${digit}`, 26_379]
    : [`10.0.0.${name === 'master' ? 1 : digit + 1}`, 6379]
  return {
    name,
    host,
    port,
    runId: (isPeer ? 'abcdef'.charAt(digit) : String(host.at(-1))).repeat(40),
    mood: 'answers',
    delayMs: 1,
    says: () => undefined,
    master: name.startsWith('replica') ? MASTER_ADDRESS : undefined,
    wasReplica: name.startsWith('replica'),
    obeys: true,
    offset: 100,
    linkUp: true,
    moreInfo: [],
    lessInfo: [],
    seesDown: false,
    votesFor: 'candidate',
    talks: true,
    counsel: undefined,
    view: { master: MASTER_ADDRESS, configEpoch: 0, currentEpoch: 0 },
  }
}

export function addressOf({ host, port }: Part): string {
  return `${host}:${port}`
}

/** The hello of a Sentinel on the stage, with a test's changes. */
export function helloOf({ host, port, runId, view }: Part, change: Partial<Hello> = {}): string {
  const [masterHost = '', masterPort] = view.master.split(':')
  const { configEpoch, currentEpoch } = view
  const hello = { host, port, runId, currentEpoch, group: 'g', masterHost, configEpoch }
  return formatHello({ ...hello, masterPort: Number(masterPort), ...change })
}

/** The answer of a part that answers; undefined if it has none to this command. */
export function answerOf(cast: Cast, part: Part, argv: readonly string[]): Reply {
  const said = part.says(argv)
  if (said !== undefined) return said
  const [verb = ''] = argv
  switch (verb.toUpperCase()) {
    case 'PING':
      return simple('PONG')
    case 'INFO':
      return bulk(infoOf(cast, part))
    case 'PUBLISH':
      if (part.name.startsWith('peer')) hear(part, argv[2] ?? '')
      return integer(1)
    case 'SENTINEL':
      if (argv[1] === 'MYID') return bulk(part.runId)
      return argv[1] === 'CONFER' ? counselOf(part) : opinionOf(part, argv)
    case 'SLAVEOF':
      if (part.obeys) follow(part, argv[1] === 'NO' ? undefined : `${argv[1]}:${argv[2]}`)
      return bulk('QUEUED')
    default:
      return OK
  }
}

function counselOf({ counsel }: Part): Reply {
  if (counsel === undefined) return error("ERR Unknown sentinel subcommand 'CONFER'")
  const { refused, granted, epoch } = counsel
  return array([integer(refused ? 1 : 0), integer(granted ? 1 : 0), integer(epoch)])
}

function follow(part: Part, master: string | undefined): void {
  part.wasReplica ||= master !== undefined
  part.master = master
}

/** Adopts a newer configuration, as every Sentinel does. */
function hear(part: Part, payload: string): void {
  const hello = parseHello(payload)
  if (hello === undefined || hello.configEpoch <= part.view.configEpoch) return
  const { masterHost, masterPort, configEpoch, currentEpoch } = hello
  part.view = { master: `${masterHost}:${masterPort}`, configEpoch, currentEpoch }
}

function opinionOf({ seesDown, votesFor }: Part, argv: readonly string[]): Reply {
  const [, , , , epoch, candidate = '*'] = argv
  const voted = votesFor === 'candidate' ? candidate : votesFor
  const leader = candidate === '*' || voted === 'nobody' ? '*' : voted
  const down = integer(seesDown ? 1 : 0)
  return array([down, bulk(leader), integer(leader === '*' ? 0 : Number(epoch))])
}

function infoOf(cast: Cast, part: Part): string {
  const lines = [`run_id:${part.runId}`, ...roleOf(cast, part), ...part.moreInfo]
  const isTold = (line: string) => !part.lessInfo.some((name) => line.startsWith(`${name}:`))
  return [...lines.filter(isTold), ''].join('\r\n')
}

function roleOf(cast: Cast, part: Part): readonly string[] {
  if (part.master === undefined) {
    const followers = [...cast.values()].filter(({ master }) => master === addressOf(part))
    const lines = followers.map(
      ({ host, port }, at) => `slave${at}:ip=${host},port=${port},state=online,offset=1,lag=0`,
    )
    return ['role:master', ...historyLines(part), ...lines]
  }
  const [host, port] = part.master.split(':')
  return [
    'role:slave',
    `master_host:${host}`,
    `master_port:${port}`,
    `master_link_status:${part.linkUp ? 'up' : 'down'}`,
    'slave_priority:100',
    `slave_repl_offset:${part.offset}`,
  ]
}

/** A promoted replica names the history it comes from; a master that was never a replica has none. */
function historyLines({ wasReplica, name }: Part): readonly string[] {
  const before = wasReplica ? 'history of whom it followed' : '0'.repeat(40)
  const own = wasReplica ? 'later history' : 'history'
  return [`master_replid:${own} of ${name}`, `master_replid2:${before}`]
}
