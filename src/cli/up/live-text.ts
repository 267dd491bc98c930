/** The live view as text: what is known, drawn for a terminal of a certain size. Draws, and nothing else. */
import pc from 'picocolors'
import { type FoldedLine, fold, speakers } from './fold.ts'
import { HOST } from './layout.ts'
import { type ClusterModel, masterPort, type NodeModel, type SentinelModel } from './model.ts'
import {
  type Column,
  grouped,
  type Paint,
  replicasInWords,
  row,
  timeOfDay,
  truncate,
} from './paint.ts'
import type { WriteReport } from './writer.ts'

export interface Frame {
  readonly columns: number
  readonly rows: number
  readonly title: string
  /** How to connect, the most useful one first. */
  readonly hints: readonly string[]
  readonly uptimeMs: number
  /** Undefined while nobody writes. */
  readonly writes: WriteReport | undefined
}

const KEYS: readonly (readonly [string, string])[] = [
  ['k', 'kill master'],
  ['p', 'pause'],
  ['c', 'cut off'],
  ['b', 'bring back'],
  ['w', 'write'],
  ['q', 'quit'],
]

/** Both tables share their columns, so that the eye can stay where it is. */
const COLUMNS: readonly Column[] = [
  { width: 15, align: 'left' },
  { width: 7, align: 'left' },
  { width: 7, align: 'left' },
  { width: 13, align: 'right' },
  { width: 8, align: 'right' },
]
const NODE_HEAD = ['NODES', 'ROLE', 'FOLLOWS', 'OFFSET', 'BEHIND', 'STATE']
const SENTINEL_HEAD = ['SENTINELS', 'MASTER', 'EPOCH', 'REPLICAS', 'PEERS', 'STATE']
/** Where the state begins, which may take the rest of the line. */
const STATE_AT = 64

const MIN_COLUMNS = 80
const MIN_EVENTS = 3
/** Below this there is room for one hint only. */
const ROOMY_ROWS = 30
/** Below this the names of events are cut, so that their meaning is not. */
const ROOMY_COLUMNS = 100
const NOTHING = '–'

/** The whole picture; no line is longer than the terminal is wide, nor are there more than it has. */
export function drawLive(model: ClusterModel, frame: Frame): string {
  const columns = Math.max(frame.columns, MIN_COLUMNS)
  const tables = [...nodeTable(model, columns), '', ...sentinelTable(model, columns)]
  const above = [header(frame, columns), '', ...tables, '', ...writeLines(frame.writes)]
  const below = ['', ...hintLines(frame, columns), '', keyLine()]
  // One line is left for the cursor.
  const room = frame.rows - above.length - below.length - 1
  return [...above, ...eventLines(model, Math.max(MIN_EVENTS, room), columns), ...below].join('\n')
}

function header({ title, uptimeMs }: Frame, columns: number): string {
  const clock = uptime(uptimeMs)
  const text = truncate(title, columns - clock.length - 14)
  const gap = ' '.repeat(columns - text.length - clock.length - 12)
  return `  ${pc.bold(pc.cyan('vedette'))} ${text}${gap} ${pc.dim(clock)}`
}

function nodeTable(model: ClusterModel, columns: number): string[] {
  const master = masterPort(model)
  const lines = model.nodes.map((node) => nodeLine(node, model, master, columns))
  return [tableHead(NODE_HEAD), ...lines]
}

function nodeLine(
  node: NodeModel,
  model: ClusterModel,
  master: number | undefined,
  columns: number,
): string {
  const { facts, port } = node
  const cells = [
    `${HOST}:${port}`,
    facts?.role ?? NOTHING,
    facts?.follows === undefined ? NOTHING : String(facts.follows),
    facts === undefined ? NOTHING : grouped(facts.offset),
    behind(node, model),
  ]
  const name = port === master ? pc.bold : undefined
  return line(dotOf(node), cells, nodeState(node, master), nodeTone(node, master), columns, name)
}

function nodeState({ state, facts, port }: NodeModel, master: number | undefined): string {
  if (state === 'cut off' && facts?.role === 'master' && port !== master) return 'cut off, deposed'
  if (state !== 'running') return state
  if (facts === undefined) return 'no answer'
  if (!facts.isInSync) return 'not in sync'
  if (facts.role === 'replica') return 'in sync'
  return port === master ? replicasInWords(facts.replicas) : 'deposed'
}

/** How many bytes of the master's stream it has not applied yet, as far as one can see. */
function behind(node: NodeModel, model: ClusterModel): string {
  const master = model.nodes.find(({ port }) => port === node.facts?.follows)
  if (node.facts === undefined || master?.facts === undefined) return NOTHING
  return grouped(Math.max(0, master.facts.offset - node.facts.offset))
}

function nodeTone({ state, facts, port }: NodeModel, master: number | undefined): Paint {
  if (state === 'dead') return pc.red
  if (state !== 'running' || facts === undefined || !facts.isInSync) return pc.yellow
  return facts.role === 'master' && port !== master ? pc.yellow : pc.green
}

function sentinelTable(model: ClusterModel, columns: number): string[] {
  const lines = model.sentinels.map((one) => sentinelLine(one, model, columns))
  return [tableHead(SENTINEL_HEAD), ...lines]
}

function sentinelLine(sentinel: SentinelModel, model: ClusterModel, columns: number): string {
  const { port, facts, epoch, state } = sentinel
  const cells = [
    `${HOST}:${port}`,
    facts === undefined ? NOTHING : String(facts.master),
    String(epoch),
    facts === undefined ? NOTHING : String(facts.replicas),
    facts === undefined ? NOTHING : String(facts.peers),
  ]
  const tone = state === 'dead' ? pc.red : facts === undefined ? pc.yellow : pc.green
  const name = model.leader?.port === port ? pc.bold : undefined
  return line(dotOf(sentinel), cells, sentinelState(sentinel, model), tone, columns, name)
}

function sentinelState({ state, facts, port }: SentinelModel, { leader }: ClusterModel): string {
  if (state !== 'running') return state
  if (facts === undefined) return 'no answer'
  const isFailingOver = facts.flags.includes('failover_in_progress')
  if (leader?.port === port) return isFailingOver ? 'leads failover' : `led epoch ${leader.epoch}`
  if (facts.flags.includes('o_down')) return 'master is down'
  return facts.flags.includes('s_down') ? 'master is silent' : 'watching'
}

function tableHead(cells: readonly string[]): string {
  return pc.dim(`    ${row(COLUMNS, cells)}  ${cells.at(-1)}`)
}

function line(
  dot: string,
  cells: readonly string[],
  state: string,
  tone: Paint,
  columns: number,
  name: Paint | undefined,
): string {
  const text = row(COLUMNS, cells, [name, name])
  return `  ${tone(dot)} ${text}  ${tone(truncate(state, columns - STATE_AT))}`
}

function dotOf({ state, facts }: NodeModel | SentinelModel): string {
  if (state === 'dead') return '✗'
  return state === 'running' && facts !== undefined ? '●' : '○'
}

function writeLines(writes: WriteReport | undefined): string[] {
  if (writes === undefined) return []
  const { acknowledged, silentMs, longestSilenceMs } = writes
  const isSilent = silentMs > 200
  const now = isSilent ? pc.red(`silent for ${Math.round(silentMs)} ms`) : pc.green('acknowledged')
  const longest = `longest silence ${Math.round(longestSilenceMs)} ms`
  return [`  ${pc.dim('WRITES')}  ${grouped(acknowledged)} ${now}  ${pc.dim(longest)}`, '']
}

function eventLines(model: ClusterModel, rows: number, columns: number): string[] {
  const lines = fold(model)
    .slice(-rows)
    .map((one) => eventLine(one, model, columns))
  return [...lines, ...Array.from({ length: rows - lines.length }, () => '')]
}

function eventLine(folded: FoldedLine, model: ClusterModel, columns: number): string {
  const { wallMs, event, words } = folded
  const time = pc.dim(timeOfDay(wallMs))
  if (event === '') return `  ${time}  ${pc.bold(truncate(words, columns - 16))}`
  const width = columns < ROOMY_COLUMNS ? 18 : 26
  const who = speakers(folded, model).padEnd(9)
  const what = truncate(event, width).padEnd(width)
  return `  ${time}  ${who}  ${eventTone(event)(what)}  ${truncate(words, columns - width - 29)}`
}

function eventTone(event: string): Paint {
  if (event === '+switch-master' || event === '+failover-end') return pc.green
  if (/^\+([so]down|tilt)$/.test(event) || event.startsWith('-failover')) return pc.red
  return /elected|vote|epoch|try-failover/.test(event) ? pc.cyan : (text) => text
}

function hintLines({ hints, rows }: Frame, columns: number): string[] {
  const shown = rows < ROOMY_ROWS ? hints.slice(0, 1) : hints
  return shown.map((hint) => pc.dim(`  ${truncate(hint, columns - 2)}`))
}

function keyLine(): string {
  return `  ${KEYS.map(([key, what]) => `${pc.inverse(` ${key} `)} ${what}`).join('  ')}`
}

function uptime(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${two(Math.floor(seconds / 60))}:${two(seconds % 60)}`
}
