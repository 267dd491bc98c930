/** Asks Sentinels for everything they know, first those we were told of, and then their peers. */
import { hostAndPort } from '../../base/ip.ts'
import { reasonOf } from '../../io/start-error.ts'
import { allowanceOfOneRun, connect, type SentinelLogin } from './access.ts'
import { type Allowance, type Asking, listOf, printable, type ReplyValue } from './asking.ts'
import { withGrant } from './grant.ts'
import { parseInfo, processOf, programIn } from './info.ts'
import { namesAsked, readAddress, readMasters, readMyid, readOthers, readText } from './shapes.ts'
import {
  type GroupView,
  type InstanceFields,
  type MasterStream,
  peersOf,
  type Remark,
  type ReplicaAck,
  type SentinelAnswer,
} from './view.ts'

/** No deployment has more Sentinels than this; a made-up list must not keep us busy for ever. */
const SENTINELS_MAX = 64
/** A Sentinel that answers slowly, or in pieces, is given up after this time, unless whoever asks has less. */
const SENTINEL_MS = 10_000
/** Peers named later are not asked: liars can name each other one by one. */
const SEARCH_MS = 15_000
/** With more groups than this, one Sentinel tells what the nodes of a group say: each says several kilobytes. */
const EVERY_STREAM_GROUPS = 50

/** What all questions of one run share. */
interface Survey {
  readonly access: SentinelLogin
  readonly allowance: Allowance
  /** The groups of whose streams a Sentinel has been asked. */
  readonly streams: Set<string>
  /** How long one Sentinel may take. */
  readonly patienceMs: number
}

/** The views of all Sentinels that can be found, in the order in which they were found. */
export async function askAll(
  addresses: readonly string[],
  access: SentinelLogin,
  patienceMs = SENTINEL_MS,
): Promise<readonly SentinelAnswer[]> {
  const allowance = allowanceOfOneRun()
  const survey = { access, allowance, streams: new Set<string>(), patienceMs }
  const startedAtMs = performance.now()
  const views: SentinelAnswer[] = []
  const asked = new Set<string>()
  let next = [...addresses]
  while (next.length > 0 && performance.now() - startedAtMs < SEARCH_MS) {
    for (const address of next) asked.add(address)
    const answers = await Promise.all(next.map((address) => askOne(address, survey)))
    for (const view of answers) if (isNew(views, view)) views.push(view)
    next = [...new Set(answers.flatMap(peersOf))]
      .filter((address) => !asked.has(address))
      // In the same order each time, so that a picture that is drawn again stands still.
      .sort()
      .slice(0, SENTINELS_MAX - asked.size)
  }
  return views
}

/** One Sentinel may be found under two addresses; and clones of it have its id. */
function isNew(views: readonly SentinelAnswer[], { myid, process }: SentinelAnswer): boolean {
  return myid === '' || views.every((one) => one.myid !== myid || one.process !== process)
}

async function askOne(address: string, survey: Survey): Promise<SentinelAnswer> {
  const client = connect(address, survey.access, survey.allowance)
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    client.disconnect()
  }, survey.patienceMs)
  try {
    return await look(client, address, survey)
  } catch (error) {
    const failure = isLate
      ? `not all answers within ${survey.patienceMs / 1_000} s`
      : explain(error, survey.access.user)
    return { ...NOTHING, address, failure }
  } finally {
    clearTimeout(timer)
    client.disconnect()
  }
}

const NOTHING = {
  ...{ myid: '', process: undefined, program: '', isTilted: false },
  ...{ groups: [], remarks: [], unreached: [] },
} as const

/** What went wrong, in the words of the kernel or of the other side. */
function explain(error: unknown, user: string | undefined): string {
  const reason = reasonOf(error)
  if (/unknown command.*sentinel/i.test(reason)) return 'this is no Sentinel'
  return withGrant(reason, user)
}

async function look(client: Asking, address: string, survey: Survey): Promise<SentinelAnswer> {
  await client.open()
  const [myid, masters, info, extra] = await Promise.all([
    client.call('SENTINEL', 'MYID'),
    client.call('SENTINEL', 'MASTERS'),
    client.call('INFO'),
    client.call('INFO', 'vedette'),
  ])
  const facts = parseInfo(readText('INFO', info))
  const own = readText('INFO vedette', extra)
  const id = readMyid(myid)
  const known = readMasters(masters)
  const names = namesAsked(masters)
  const groups = await Promise.all(
    known.map((master, at) => {
      const withStream = takesStream(master, known.length, survey)
      return lookAt(client, master, { word: names[at] ?? '', withStream })
    }),
  )
  return {
    address,
    failure: undefined,
    myid: id,
    process: processOf(facts),
    program: programIn(new Map([...facts, ...parseInfo(own)])) ?? 'redis ?',
    isTilted: facts.get('sentinel_tilt') === '1',
    groups,
    remarks: remarksIn('remark', own),
    unreached: remarksIn('unreached', own),
  }
}

function takesStream({ name = '' }: InstanceFields, groups: number, { streams }: Survey): boolean {
  if (groups > EVERY_STREAM_GROUPS && streams.has(name)) return false
  streams.add(name)
  return true
}

interface GroupQuestion {
  /** The name of the group, as commands have it. */
  readonly word: string
  readonly withStream: boolean
}

async function lookAt(
  client: Asking,
  master: InstanceFields,
  { word, withStream }: GroupQuestion,
): Promise<GroupView> {
  const name = master.name ?? ''
  const [replicas, peers, address, quorum, cache] = await Promise.all([
    client.call('SENTINEL', 'SLAVES', word),
    client.call('SENTINEL', 'SENTINELS', word),
    client.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', word),
    client.call('SENTINEL', 'CKQUORUM', word).catch((error: unknown) => reasonOf(error)),
    // Its right to ask may be missing, and nothing else depends on it.
    withStream ? client.call('SENTINEL', 'INFO-CACHE', word).catch(() => null) : null,
  ])
  const [host, port] = readAddress(address) ?? ['?', '?']
  return {
    name,
    address: hostAndPort(host, port),
    master,
    replicas: readOthers('SENTINEL REPLICAS', replicas),
    peers: readOthers('SENTINEL SENTINELS', peers),
    quorum: printable(readText('SENTINEL CKQUORUM', quorum)),
    stream: readStream(cache),
  }
}

/** `remark0:group=…,instance=…,text=…`: the text comes last, because it may contain anything. */
function remarksIn(field: 'remark' | 'unreached', text: string): readonly Remark[] {
  return text.split('\r\n').flatMap((line) => {
    const match = /^([a-z]+)\d+:group=([^,]*),instance=([^,]*),text=(.*)$/.exec(line)
    if (match?.[1] !== field) return []
    const [, , group = '', instance = '', words = ''] = match
    return [{ group: printable(group), instance: printable(instance), text: printable(words) }]
  })
}

/**
 * How far each replica is behind its master, out of what a Sentinel remembers of the master's INFO
 * [SENTINEL INFO-CACHE]. Master and replicas stand in one INFO, so their offsets are of one moment: those
 * that Sentinels collect from the nodes one by one are up to ten seconds apart, and their difference says
 * nothing.
 */

/** Undefined if the Sentinel has no INFO of a master, or may not tell. */
export function readStream(answer: ReplyValue): MasterStream | undefined {
  const [, instances] = listOf(answer)
  // The master comes first, in C Sentinel as well.
  const [first = null, ...others] = listOf(instances)
  const [age, info] = listOf(first)
  if (typeof age !== 'number' || typeof info !== 'string') return undefined
  const lines = info.split('\r\n')
  const offset = countIn(/^master_repl_offset:(\d{1,15})$/, lines)
  if (!lines.includes('role:master') || offset === undefined) return undefined
  const replicas = new Map(lines.flatMap((line) => ackIn(line, offset)))
  return { ageMs: age, offset, replicas, chained: others.flatMap(followersIn) }
}

/** The replicas that a replica lists in its INFO. */
function followersIn(entry: ReplyValue): readonly string[] {
  const [, info] = listOf(entry)
  const lines = typeof info === 'string' ? info.split('\r\n') : []
  return lines.includes('role:slave')
    ? lines.flatMap((line) => ackIn(line, 0)).map(([at]) => at)
    : []
}

/** `slave0:ip=10.0.0.2,port=6379,state=online,offset=1234,lag=0`. */
function ackIn(line: string, written: number): readonly (readonly [string, ReplicaAck])[] {
  if (!/^slave\d+:/.test(line)) return []
  const fields = line.slice(line.indexOf(':') + 1).split(',')
  const [, host] = /^ip=([\w.:-]{1,255})$/.exec(fields[0] ?? '') ?? []
  const port = countIn(/^port=(\d{1,5})$/, fields)
  const offset = countIn(/^offset=(\d{1,15})$/, fields)
  // Before its copy is complete, a replica acknowledges nothing.
  if (host === undefined || port === undefined || offset === undefined) return []
  if (!fields.includes('state=online')) return []
  const ackSeconds = countIn(/^lag=(\d{1,15})$/, fields)
  const lagBytes = Math.max(0, written - offset)
  return [[hostAndPort(host, port), { offset, lagBytes, ackSeconds }]]
}

function countIn(pattern: RegExp, lines: readonly string[]): number | undefined {
  for (const line of lines) {
    const [, digits] = pattern.exec(line) ?? []
    if (digits !== undefined) return Number(digits)
  }
  return undefined
}
