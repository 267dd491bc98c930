/**
 * What the Sentinels of a record hold of each data node: whether it is down, whether it refuses writes, and what they
 * do not agree on. One Sentinel alone may be the one that is cut off, so the majority of those whose records cover a
 * moment decides, without those that were cut off from the majority themselves. A node is down from the moment at
 * which it owed the majority an answer, not from the one at which they said so.
 */
import { hostAndPort } from '../../base/ip.ts'
import type { SentinelLife } from '../../blackbox/incident/life.ts'
import type { Happening, NodeRole } from '../../history/happening.ts'
import { alike, isIn, type Period, partsWhere, periodsOf } from './periods.ts'

/** Sentinels ask once a second, so for so long one of them may just not have asked yet. */
const SHORT_MS = 1_000

/** One Sentinel's word about the nodes, in the time of the history. */
export interface Witness {
  readonly name: string
  /** What its record covers. */
  readonly own: Period
  /** When it could not reach a majority of the Sentinels. */
  readonly alone: readonly Period[]
  /** By address: when the node did not answer it, and was held down or refused connections. */
  readonly gone: ReadonlyMap<string, readonly Period[]>
  /** By address: when its connection had ended, and it did not answer. That may be a restart, or nothing. */
  readonly lost: ReadonlyMap<string, readonly Period[]>
  /** By address of a master: when it held it down, answering or not. */
  readonly held: ReadonlyMap<string, readonly Period[]>
  /** By address of a master: when it answered PING and refused writes. */
  readonly gray: ReadonlyMap<string, readonly Period[]>
}

/** `toHistory`: the time of the history, from the monotonic time of that life. */
export function witnessOf(
  life: SentinelLife,
  name: string,
  toHistory: (monoMs: number) => number,
): Witness {
  const endMs = toHistory(life.lastMonoMs)
  const gone = new Map<string, Period[]>()
  const lost = new Map<string, Period[]>()
  for (const { address, isSure, fromMs, untilMs } of life.contacts.absences) {
    const by = isSure ? gone : lost
    const known = by.get(address) ?? []
    by.set(address, known)
    known.push({
      fromMs: toHistory(fromMs),
      untilMs: untilMs === undefined ? endMs : toHistory(untilMs),
    })
  }
  const saidBetween = (begin: string, end: string) => {
    const marks = life.said.flatMap(({ monoMs, event }) => {
      const atMs = toHistory(monoMs)
      const { name: said, instance, group } = event
      // What refuses writes goes on to do so when it is replaced.
      if (said === '+switch-master' && begin === '+sdown' && group !== undefined) {
        const [, host = '', port = ''] = event.payload.split(' ')
        return [{ atMs, address: hostAndPort(host, Number(port)), isBegin: false, why: '' }]
      }
      if (instance?.role !== 'master' || (said !== begin && said !== end)) return []
      const why = event.evidence || reasonBehind(life, monoMs)
      return [
        { atMs, address: hostAndPort(instance.host, instance.port), isBegin: said === begin, why },
      ]
    })
    return periodsOf(marks, endMs)
  }
  return {
    name,
    own: { fromMs: toHistory(life.firstMonoMs ?? life.startedAt.monoMs), untilMs: endMs },
    alone: aloneIn(life, gone),
    ...{ gone, lost },
    held: saidBetween('+sdown', '-sdown'),
    gray: saidBetween('+gray-master', '-gray-master'),
  }
}

/** Of a +sdown of a master, what its companion says. */
function reasonBehind({ said }: SentinelLife, monoMs: number): string {
  const companion = said.find(
    (one) =>
      one.monoMs === monoMs &&
      one.event.name === '+sdown-evidence' &&
      one.event.instance?.role === 'master',
  )
  return companion?.event.evidence ?? ''
}

/** When so many peers did not answer that no majority was left. */
function aloneIn({ state }: SentinelLife, gone: Witness['gone']): readonly Period[] {
  const peers = new Set<string>()
  for (const group of state.groups.values())
    for (const { host, port } of group.peers.values()) peers.add(hostAndPort(host, port))
  const absences = [...peers].map((peer) => gone.get(peer) ?? [])
  return partsWhere(absences.flat(), (atMs) => {
    const reached = 1 + absences.filter((periods) => !isIn(periods, atMs)).length
    return reached * 2 <= peers.size + 1
  })
}

/** What counts of a node for a while. */
interface Verdict extends Period {
  readonly isDown: boolean
  /** The words with which its writes are refused; undefined: they are not. */
  readonly refuses: string | undefined
  /** It answers, and is held down for this. */
  readonly heldFor: string | undefined
  /** The Sentinels that hold something else of it than the verdict says, and which of these are cut off. */
  readonly apart: readonly string[]
  readonly cutOff: readonly string[]
}

/** The happenings of the nodes, from those that each Sentinel was told by them. */
export function heldNodes(
  witnesses: readonly Witness[],
  nodes: readonly string[],
  roles: readonly Happening[],
): readonly Happening[] {
  return nodes.flatMap((node) => {
    const verdicts = verdictsOn(node, witnesses)
    const own = roles.filter(({ process }) => process === node)
    return [
      ...statusesOf(node, verdicts),
      ...rolesOf(node, own, verdicts),
      ...remarksOn(node, verdicts),
    ]
  })
}

export function verdictsOn(node: string, witnesses: readonly Witness[]): readonly Verdict[] {
  const all = witnesses.flatMap(({ own, alone, gone, lost, held, gray }) => [
    own,
    ...alone,
    ...[gone, lost, held, gray].flatMap((by) => by.get(node) ?? []),
  ])
  const edges = [...new Set(all.flatMap(({ fromMs, untilMs }) => [fromMs, untilMs]))]
  edges.sort((one, other) => one - other)
  return edges.slice(0, -1).map((fromMs, at): Verdict => {
    const covering = witnesses.filter(({ own }) => isIn([own], fromMs))
    return { fromMs, untilMs: edges[at + 1] ?? fromMs, ...verdictAt(node, fromMs, covering) }
  })
}

function verdictAt(
  node: string,
  atMs: number,
  covering: readonly Witness[],
): Omit<Verdict, 'fromMs' | 'untilMs'> {
  const together = covering.filter(({ alone }) => !isIn(alone, atMs))
  // Where none reaches a majority, there is no better word than theirs.
  const judges = together.length === 0 ? covering : together
  const saying = (by: (one: Witness) => ReadonlyMap<string, readonly Period[]>) =>
    judges.filter((one) => isIn(by(one).get(node) ?? [], atMs))
  const isMost = (some: readonly Witness[]) => some.length * 2 > judges.length
  const gone = saying((one) => one.gone)
  const begun = gone.flatMap((one) => periodAt(one.gone.get(node), atMs) ?? [])
  // A connection that ended at the same time has no other word against a Sentinel that was refused one.
  const agrees = (one: Witness): boolean => {
    const fromMs = periodAt(one.lost.get(node), atMs)?.fromMs
    return begun.some((death) => Math.abs(death.fromMs - (fromMs ?? atMs)) < SHORT_MS)
  }
  const isDown = isMost([...gone, ...saying(({ lost }) => lost).filter(agrees)])
  const gray = saying((one) => one.gray)
  const held = saying((one) => one.held)
  const refuses = !isDown && isMost(gray) ? reasonOf(gray[0]?.gray.get(node), atMs) : undefined
  const apart = covering.filter((one) => {
    const has = (by: Witness['gone']) => isIn(by.get(node) ?? [], atMs)
    return isDown ? !has(one.gone) && !has(one.lost) : has(one.gone)
  })
  const isHeld = !isDown && isMost(held) && refuses === undefined
  const cutOff = judges === covering ? [] : apart.filter(({ alone }) => isIn(alone, atMs))
  return {
    ...{ isDown, refuses },
    heldFor: isHeld ? reasonOf(held[0]?.held.get(node), atMs) : undefined,
    apart: apart.map(({ name }) => name),
    cutOff: cutOff.map(({ name }) => name),
  }
}

function reasonOf(periods: readonly Period[] | undefined, atMs: number): string {
  return periodAt(periods, atMs)?.why ?? ''
}

function periodAt(periods: readonly Period[] | undefined, atMs: number): Period | undefined {
  return periods?.find((one) => isIn([one], atMs))
}

function statusesOf(process: string, verdicts: readonly Verdict[]): Happening[] {
  return alike(verdicts, ({ isDown }) => String(isDown)).flatMap(([first], at): Happening[] => {
    if (first === undefined || (at === 0 && !first.isDown)) return []
    const { fromMs: atMs, isDown } = first
    const word = isDown ? 'no answer any more' : 'answers again'
    return [{ atMs, process, kind: 'status', status: isDown ? 'down' : 'running', word }]
  })
}

/** What a node that is down for the majority tells others waits until it is back. */
function rolesOf(
  process: string,
  told: readonly Happening[],
  verdicts: readonly Verdict[],
): Happening[] {
  const heard = told.filter(({ atMs }) => !verdicts.some((one) => one.isDown && isIn([one], atMs)))
  const changes = alike(verdicts, ({ isDown, refuses }) => `${isDown} ${refuses}`)
  const shown = changes.flatMap(([first]): Happening[] => {
    if (first === undefined || first.isDown) return []
    const { fromMs: atMs, refuses } = first
    const last = told.findLast((one) => one.atMs <= atMs)
    if (last?.kind !== 'role') return []
    const role: NodeRole =
      last.role.kind === 'master' && refuses !== undefined
        ? { kind: 'master', refuses: codeIn(refuses) }
        : last.role
    return [{ atMs, process, kind: 'role', role }]
  })
  return [...heard, ...shown]
}

/** `OOM` of `answers writes with OOM, has used …`; otherwise the words. */
function codeIn(reason: string): string {
  return / with ([A-Z]+)/.exec(reason)?.[1] ?? reason.split(';')[0] ?? reason
}

/** Of a Sentinel that was cut off, where it lasted. */
export function remarkOnLoneliness({ name, alone }: Witness): readonly Happening[] {
  const long = alone.filter(({ fromMs, untilMs }) => untilMs - fromMs >= SHORT_MS)
  return long.flatMap(({ fromMs, untilMs }): Happening[] => [
    { atMs: fromMs, process: name, kind: 'remark', text: 'reaches no majority of the Sentinels' },
    { atMs: untilMs, process: name, kind: 'remark', text: undefined },
  ])
}

function remarksOn(process: string, verdicts: readonly Verdict[]): Happening[] {
  const keyOf = ({ isDown, heldFor, apart }: Verdict) => `${isDown} ${heldFor} ${apart}`
  return alike(verdicts, keyOf).flatMap((some): Happening[] => {
    const [first] = some
    const untilMs = some.at(-1)?.untilMs ?? 0
    const text = first && wordRemark(first, new Set(some.flatMap(({ cutOff }) => cutOff)))
    if (first === undefined || text === undefined) return []
    // What they agree on is told, however short it was.
    if (first.heldFor === undefined && untilMs - first.fromMs < SHORT_MS) return []
    return [
      { atMs: first.fromMs, process, kind: 'remark', text },
      { atMs: untilMs, process, kind: 'remark', text: undefined },
    ]
  })
}

/** Undefined: the Sentinels agree, and there is nothing to say. */
function wordRemark(
  { isDown, heldFor, apart }: Verdict,
  cutOff: ReadonlySet<string>,
): string | undefined {
  if (heldFor !== undefined) return `answers, and is held down: ${heldFor}`
  if (apart.length === 0) return undefined
  const names = apart.map((name) => {
    return cutOff.has(name) ? `${name} (cut off from the majority)` : name
  })
  return `${isDown ? 'answers' : 'down for'} ${names.join(' and ')} only`
}
