/** The live view as text: what is known, drawn for a terminal of a certain size. Draws, and nothing else. */
import pc from 'picocolors'
import { explain } from './explain.ts'
import {
  type ClusterModel,
  type Happening,
  masterPort,
  type NodeModel,
  type SentinelModel,
} from './model.ts'
import { type Column, grouped, replicasInWords, row, timeOfDay, truncate } from './paint.ts'

export interface Frame {
  readonly columns: number
  readonly rows: number
  /** `mymaster · quorum 2 of 3 · down-after 1000 ms` */
  readonly title: string
  /** How to connect. */
  readonly hints: readonly string[]
  readonly uptimeMs: number
}

const KEYS: readonly (readonly [string, string])[] = [
  ['k', 'kill the master'],
  ['p', 'pause it'],
  ['c', 'cut it off'],
  ['b', 'bring it back'],
  ['q', 'quit'],
]

const NODE_COLUMNS: readonly Column[] = [
  { width: 16, align: 'left' },
  { width: 8, align: 'left' },
  { width: 12, align: 'right' },
  { width: 9, align: 'right' },
  { width: 7, align: 'left' },
  { width: 16, align: 'left' },
]

const SENTINEL_COLUMNS: readonly Column[] = [
  { width: 16, align: 'left' },
  { width: 8, align: 'left' },
  { width: 12, align: 'right' },
  { width: 9, align: 'right' },
  { width: 7, align: 'left' },
  { width: 16, align: 'left' },
]

const MIN_EVENT_ROWS = 3

/** The whole picture, as lines no longer than the terminal is wide. */
export function drawLive(model: ClusterModel, frame: Frame): string {
  const above = [
    header(frame),
    '',
    ...nodeTable(model),
    '',
    ...sentinelTable(model),
    '',
    pc.dim('  EVENTS'),
  ]
  const below = [
    '',
    ...frame.hints.map((hint) => pc.dim(`  ${truncate(hint, frame.columns - 2)}`)),
    '',
    keys(),
  ]
  const eventRows = Math.max(MIN_EVENT_ROWS, frame.rows - above.length - below.length - 1)
  const events = model.happenings
    .slice(-eventRows)
    .map((one) => eventLine(one, model, frame.columns))
  while (events.length < eventRows) events.push('')
  return [...above, ...events, ...below].join('\n')
}

function header({ title, columns, uptimeMs }: Frame): string {
  const clock = uptime(uptimeMs)
  const room = Math.max(0, columns - 12 - title.length - clock.length)
  return `  ${pc.bold(pc.cyan('vedette'))}  ${title}${' '.repeat(room)} ${pc.dim(clock)}`
}

function nodeTable(model: ClusterModel): string[] {
  const head = row(NODE_COLUMNS, ['NODES', 'ROLE', 'OFFSET', 'BEHIND', 'FOLLOWS', 'STATE'])
  const master = masterPort(model)
  return [`    ${pc.dim(head)}`, ...model.nodes.map((node) => nodeLine(node, model, master))]
}

function nodeLine(node: NodeModel, model: ClusterModel, master: number | undefined): string {
  const { facts, port } = node
  const isMaster = port === master
  const state = nodeState(node, master)
  const cells = [
    `127.0.0.1:${port}`,
    facts?.role ?? '–',
    facts === undefined ? '–' : grouped(facts.offset),
    behind(node, model),
    facts?.follows === undefined ? '–' : String(facts.follows),
    state,
  ]
  const tone = toneOf(node, master)
  const name = isMaster ? (text: string) => pc.bold(text) : undefined
  return `  ${tone(dotOf(node))} ${row(NODE_COLUMNS, cells, [name, name, undefined, undefined, undefined, tone])}`
}

function nodeState({ state, facts, port }: NodeModel, master: number | undefined): string {
  if (state === 'cut off' && facts?.role === 'master' && port !== master) return 'cut off, deposed'
  if (state !== 'running') return state
  if (facts === undefined) return 'starting'
  if (!facts.isInSync) return 'not in sync'
  if (facts.role === 'master') return port === master ? replicasInWords(facts.replicas) : 'deposed'
  return 'in sync'
}

/** How many bytes of the master's stream it has not applied yet, as far as one can see. */
function behind(node: NodeModel, model: ClusterModel): string {
  const master = model.nodes.find(({ port }) => port === node.facts?.follows)
  if (node.facts === undefined || master?.facts === undefined) return '–'
  return grouped(Math.max(0, master.facts.offset - node.facts.offset))
}

function dotOf({ state, facts }: NodeModel | SentinelModel): string {
  if (state === 'dead') return '✗'
  return state === 'running' && facts !== undefined ? '●' : '○'
}

function toneOf(node: NodeModel, master: number | undefined): (text: string) => string {
  const { state, facts, port } = node
  if (state === 'dead') return pc.red
  if (state !== 'running' || facts === undefined || !facts.isInSync) return pc.yellow
  return facts.role === 'master' && port !== master ? pc.yellow : pc.green
}

function sentinelTable(model: ClusterModel): string[] {
  const head = row(SENTINEL_COLUMNS, ['SENTINELS', 'MASTER', 'EPOCH', 'REPLICAS', 'PEERS', 'STATE'])
  return [`    ${pc.dim(head)}`, ...model.sentinels.map((one) => sentinelLine(one, model))]
}

function sentinelLine(sentinel: SentinelModel, model: ClusterModel): string {
  const { port, facts, epoch } = sentinel
  const cells = [
    `127.0.0.1:${port}`,
    facts === undefined ? '–' : String(facts.master),
    String(epoch),
    facts === undefined ? '–' : String(facts.replicas),
    facts === undefined ? '–' : String(facts.peers),
    sentinelState(sentinel, model),
  ]
  const tone = sentinel.state === 'dead' ? pc.red : facts === undefined ? pc.yellow : pc.green
  const isLeader = model.leader?.port === port
  return `  ${tone(dotOf(sentinel))} ${row(SENTINEL_COLUMNS, cells, [undefined, undefined, undefined, undefined, undefined, isLeader ? pc.cyan : tone])}`
}

function sentinelState({ state, facts, port }: SentinelModel, { leader }: ClusterModel): string {
  if (state !== 'running') return state
  if (facts === undefined) return 'starting'
  const isFailingOver = facts.flags.includes('failover_in_progress')
  if (leader?.port === port) return isFailingOver ? 'leads failover' : `led epoch ${leader.epoch}`
  if (facts.flags.includes('o_down')) return 'master is down'
  return facts.flags.includes('s_down') ? 'master is silent' : 'watching'
}

function eventLine(
  { wallMs, source, event, text }: Happening,
  model: ClusterModel,
  columns: number,
): string {
  const portOf = (runId: string) => model.sentinels.find((one) => one.runId === runId)?.port
  const words = event === '' ? text : explain(event, text, portOf)
  const name = truncate(event, 22).padEnd(22)
  const room = columns - 46
  const who = String(source ?? '').padEnd(5)
  const tone = eventTone(event)
  if (event === '')
    return `  ${pc.dim(timeOfDay(wallMs))}  ${pc.bold(truncate(words, columns - 18))}`
  return `  ${pc.dim(timeOfDay(wallMs))}  ${who}  ${tone(name)}  ${truncate(words, room)}`
}

function eventTone(event: string): (text: string) => string {
  if (event === '+switch-master' || event === '+failover-end') return pc.green
  if (/^\+(sdown|odown|tilt)/.test(event) || event.startsWith('-failover')) return pc.red
  return /elected|vote|epoch|try-failover/.test(event) ? pc.cyan : (text) => text
}

function keys(): string {
  return `  ${KEYS.map(([key, what]) => `${pc.inverse(` ${key} `)} ${what}`).join('   ')}`
}

function uptime(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${two(Math.floor(seconds / 60))}:${two(seconds % 60)}`
}
