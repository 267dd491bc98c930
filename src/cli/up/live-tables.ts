/** The tables of the live view: the members of the cluster, and the incidents. Words and signs say what colours say. */
import { colors as pc } from '../colors.ts'
import { type Cell, cell, type FittedColumn, table } from '../table.ts'
import { type MasterIncident, STEPS } from './incident.ts'
import { HOST } from './layout.ts'
import { type ClusterModel, masterPort, type NodeModel, type SentinelModel } from './model.ts'
import { grouped, type Paint, replicasInWords } from './paint.ts'

const NOTHING = '–'
/** On fewer columns a member is called by its port alone. */
const ROOMY_NAMES = 92
/** On fewer columns an incident has numbers only. */
const ROOMY_INCIDENTS = 76

/** Nodes and Sentinels share their columns, so that the eye need not move. */
const MEMBER_COLUMNS: readonly FittedColumn[] = [
  { head: '  NODES' },
  { head: 'ROLE', least: 7 },
  { head: 'FOLLOWS', spare: 2, least: 7 },
  { head: 'OFFSET', align: 'right', spare: 3, least: 10 },
  { head: 'BEHIND', align: 'right', least: 7 },
  { head: 'PING', align: 'right', spare: 1, least: 7 },
  { head: 'STATE', least: 17 },
]
const SENTINEL_HEAD = ['  SENTINELS', 'MASTER', 'EPOCH', 'REPLICAS', 'PEERS', 'PING', 'STATE']

type Row = readonly Cell[]

export function memberTable(model: ClusterModel, columns: number): readonly string[] {
  const master = masterPort(model)
  const name = (port: number) => (columns < ROOMY_NAMES ? String(port) : `${HOST}:${port}`)
  const nodes = model.nodes.map((node) => nodeRow(node, model, master, name(node.port)))
  const sentinels = model.sentinels.map((one) => sentinelRow(one, model, name(one.port)))
  const second = [[], SENTINEL_HEAD.map((text) => cell(text, pc.dim)), ...sentinels]
  const rows = [...nodes, ...(sentinels.length === 0 ? [] : second)]
  return table(MEMBER_COLUMNS, rows, columns - 2).map((line) => `  ${line}`.trimEnd())
}

function nodeRow(
  node: NodeModel,
  model: ClusterModel,
  master: number | undefined,
  name: string,
): Row {
  const { facts, port, pingMs } = node
  const tone = nodeTone(node, master)
  return [
    cell(`${dotOf(node)} ${name}`, (text) => named(text, tone, port === master)),
    cell(facts?.role ?? NOTHING),
    cell(facts?.follows === undefined ? NOTHING : String(facts.follows)),
    cell(facts === undefined ? NOTHING : grouped(facts.offset)),
    cell(behind(node, model)),
    cell(pingText(pingMs)),
    cell(nodeState(node, master), tone),
  ]
}

/** The sign in the colour of the state; the name is bold for those that lead. */
function named(text: string, tone: Paint, isBold: boolean): string {
  const [dot = '', ...rest] = text.split(' ')
  const name = rest.join(' ')
  return `${tone(dot)} ${isBold ? pc.bold(name) : name}`
}

function nodeState({ state, facts, port }: NodeModel, master: number | undefined): string {
  if (state === 'cut off' && facts?.role === 'master' && port !== master) return 'cut off, deposed'
  if (state !== 'running') return state
  if (facts === undefined) return 'no answer'
  if (!facts.isInSync) return 'not in sync'
  if (facts.role === 'replica') return 'in sync'
  return port === master ? replicasInWords(facts.replicas) : 'deposed'
}

/** How many bytes of the master's stream the node has not applied yet, as far as can be seen. */
function behind(node: NodeModel, model: ClusterModel): string {
  const master = model.nodes.find(({ port }) => port === node.facts?.follows)
  if (node.facts === undefined || master?.facts === undefined) return NOTHING
  return `${grouped(Math.max(0, master.facts.offset - node.facts.offset))} B`
}

function nodeTone({ state, facts, port }: NodeModel, master: number | undefined): Paint {
  if (state === 'dead') return pc.red
  if (state === 'starting') return pc.cyan
  if (state !== 'running' || facts === undefined || !facts.isInSync) return pc.yellow
  return facts.role === 'master' && port !== master ? pc.yellow : pc.green
}

function sentinelRow(sentinel: SentinelModel, model: ClusterModel, name: string): Row {
  const { port, facts, epoch, pingMs } = sentinel
  const tone = sentinelTone(sentinel)
  const isLeader = model.leader?.port === port
  return [
    cell(`${dotOf(sentinel)} ${name}`, (text) => named(text, tone, isLeader)),
    cell(facts === undefined ? NOTHING : String(facts.master)),
    cell(String(epoch)),
    cell(facts === undefined ? NOTHING : String(facts.replicas)),
    cell(facts === undefined ? NOTHING : String(facts.peers)),
    cell(pingText(pingMs)),
    cell(sentinelState(sentinel, model), tone),
  ]
}

function sentinelTone({ state, facts }: SentinelModel): Paint {
  if (state === 'dead') return pc.red
  if (state === 'starting') return pc.cyan
  return facts === undefined || facts.isTilted ? pc.yellow : pc.green
}

function sentinelState({ state, facts, port }: SentinelModel, { leader }: ClusterModel): string {
  if (state !== 'running') return state
  if (facts === undefined) return 'no answer'
  if (facts.isTilted) return 'TILT, only looks'
  const isFailingOver = facts.flags.includes('failover_in_progress')
  if (leader?.port === port) return isFailingOver ? 'leads failover' : `led epoch ${leader.epoch}`
  if (facts.flags.includes('o_down')) return 'master is down'
  return facts.flags.includes('s_down') ? 'master is silent' : 'watching'
}

function dotOf({ state, facts }: NodeModel | SentinelModel): string {
  if (state === 'dead') return '✗'
  if (state === 'starting') return '◌'
  if (facts !== undefined && 'isTilted' in facts && facts.isTilted) return '▲'
  return state === 'running' && facts !== undefined ? '●' : '○'
}

function pingText(pingMs: number | undefined): string {
  if (pingMs === undefined) return NOTHING
  return pingMs < 100 ? `${pingMs.toFixed(1)} ms` : `${Math.round(pingMs)} ms`
}

const STEP_HEADS = {
  noticed: { head: 'NOTICED' },
  agreed: { head: 'AGREED', spare: 2 },
  elected: { head: 'ELECTED', spare: 1 },
  promoted: { head: 'PROMOTED' },
  written: { head: '1ST WRITE' },
} as const

const INCIDENT_COLUMNS: readonly FittedColumn[] = [
  { head: '  INCIDENTS' },
  ...STEPS.map((step) => ({ ...STEP_HEADS[step], align: 'right' as const })),
  { head: 'LOST', align: 'right' },
]

/** One line for each of the latest incidents, times in milliseconds after its begin; nothing if there are none. */
export function incidentTable(
  incidents: readonly MasterIncident[],
  columns: number,
  count: number,
): readonly string[] {
  const rows = incidents.slice(-count).map((one) => incidentRow(one, columns >= ROOMY_INCIDENTS))
  if (rows.length === 0) return []
  return table(INCIDENT_COLUMNS, rows, columns - 2).map((line) => `  ${line}`)
}

function incidentRow(incident: MasterIncident, isRoomy: boolean): Row {
  const { number, cause, from, to, steps, lost, state } = incident
  const what = isRoomy && cause !== '' ? ` ${cause}` : ''
  const move = `${isRoomy ? ' ' : ''}→${isRoomy ? ' ' : ''}${to ?? (state === 'withdrawn' ? 'back' : '?')}`
  const sign = { open: '○', switched: '●', withdrawn: '○' }[state]
  const tone = { open: pc.yellow, switched: pc.green, withdrawn: pc.dim }[state]
  return [
    cell(`${sign} ${number} ${from}${what}${move}`, (text) => named(text, tone, false)),
    ...STEPS.map((step) => {
      const ms = steps.get(step)
      return cell(ms === undefined ? NOTHING : isRoomy ? `${grouped(ms)} ms` : grouped(ms))
    }),
    cell(lost === undefined ? NOTHING : grouped(lost), (lost ?? 0) > 0 ? pc.red : undefined),
  ]
}
