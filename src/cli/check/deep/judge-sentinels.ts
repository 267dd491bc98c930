/** The Sentinels: are there enough, do they see each other, and are their settings the same? */
import type { GroupConfig } from '../../../core/config.ts'
import { CLONE_CURE } from '../../../core/discovery/clones.ts'
import { majority } from '../../../core/election/quorum.ts'
import { GROUP_OPTIONS } from '../../../core/group-options.ts'
import { differences } from '../../status/differences.ts'
import { isOurs, programIn } from '../../status/info.ts'
import type { InstanceFields } from '../../status/view.ts'
import { isReached, type SeenSentinel } from './facts.ts'
import { type DeepFinding, type FindingWords, speakOf } from './finding.ts'
import { areaOf } from './judge-group.ts'
import { judgeProgram } from './judge-program.ts'

export interface SentinelScene {
  readonly groups: readonly GroupConfig[]
  readonly sentinels: readonly SeenSentinel[]
  /** `host:port` of the master of each group, as it is now. */
  readonly masters: ReadonlyMap<string, string>
  /** How many there are to be, if the file says. */
  readonly planned: number | undefined
  /** announce-ip of the file, by which the others know its Sentinel; empty: it has none. */
  readonly announced: string
  /** `sentinel-user and sentinel-pass`, `requirepass`. */
  readonly source: string
  readonly nowMs: number
}

const AREA = 'Sentinels'

export function judgeSentinels(scene: SentinelScene): readonly DeepFinding[] {
  const { sentinels, groups } = scene
  const reached = sentinels.filter(isReached)
  return [
    ...sentinels.flatMap((one) => judgeSentinel(one, scene)),
    ...judgeNumber(scene),
    ...judgeHosts(scene),
    ...judgeClones(reached),
    ...reached.flatMap(judgeHeardClone),
    ...judgeSettings(reached),
    ...groups.flatMap((group) => judgeInGroup(group, scene, reached)),
  ]
}

function judgeSentinel(one: SeenSentinel, scene: SentinelScene): readonly DeepFinding[] {
  const { source, nowMs } = scene
  const where = one.isOwn ? `${one.address}, of this file` : one.address
  const speak = speakOf(AREA, where)
  if (one.isOwn && /^ECONNREFUSED/.test(one.failure ?? '')) {
    const text = 'it does not run yet, so its answers are not compared'
    return [speak.warning(text, 'start it and run this again')]
  }
  const found = judgeProgram(one, { area: AREA, where, source, user: one.user, nowMs })
  if (!isReached(one)) return [...found, ...judgeNamedBy(one, speak)]
  const isNode = one.info.has('redis_mode') && one.info.get('redis_mode') !== 'sentinel'
  if (isNode) {
    const hint = 'give the port of the Sentinel, mostly 26379'
    return [...found, speak.problem('this is a data node, not a Sentinel', hint)]
  }
  const silent =
    one.settings === undefined && one.groups.length === 0
      ? [speak.warning(`it does not show its settings (${one.settingsRefusal})`, ADMIN_HINT)]
      : []
  return [...found, ...silent]
}

/** A Sentinel says itself where it is to be reached. */
function judgeNamedBy(
  { failure, namedBy }: SeenSentinel,
  speak: FindingWords,
): readonly DeepFinding[] {
  if (!namedBy.startsWith('Sentinel') || !/^(E[A-Z]+$|no answer)/.test(failure ?? '')) return []
  const hint =
    'if it runs and the address is wrong (a container, NAT), set announce-ip and announce-port there; if it is gone for good, SENTINEL RESET at the others'
  return [speak.warning(`only ${namedBy} names this address`, hint)]
}

const ADMIN_HINT = 'run it with --user and --pass of a user that may ask SENTINEL MASTERS'

function judgeNumber({ sentinels, planned }: SentinelScene): readonly DeepFinding[] {
  const speak = speakOf(AREA, '')
  const count = Math.max(sentinels.length, planned ?? 0)
  if (count < 3) {
    const text = `${count === 1 ? 'only one Sentinel is' : `only ${count} Sentinels are`} known: the loss of one ends every failover`
    return [speak.warning(text, 'run three or more, on machines that fail independently')]
  }
  if (count % 2 === 0) {
    const text = `${count} Sentinels survive no more failures than ${count - 1}`
    return [speak.warning(text, 'run an odd number')]
  }
  return [speak.passed(`${count} Sentinels are known`)]
}

/** A machine that takes the majority with it takes the failover with it. */
function judgeHosts({ sentinels, masters, announced }: SentinelScene): readonly DeepFinding[] {
  const hosts = new Map<string, number>()
  for (const { address, isOwn } of sentinels) {
    // We ask our own Sentinel at the loopback address, where no other process would be found.
    const host = isOwn && announced !== '' ? announced : hostOf(address)
    hosts.set(host, (hosts.get(host) ?? 0) + 1)
  }
  const needed = majority(sentinels.length)
  const crowded = [...hosts].find(([, count]) => sentinels.length - count < needed)
  if (crowded === undefined || sentinels.length < 2) return []
  const [host, count] = crowded
  const here = [...masters].filter(([, master]) => hostOf(master) === host).map(([name]) => name)
  const all = count === sentinels.length ? 'all' : `${count} of ${sentinels.length}`
  const withMaster =
    here.length === 0 ? '' : `, where the master of ${here.join(', ')} runs as well`
  const text = `${all} Sentinels are on ${host}${withMaster}: if that machine fails, nothing is failed over`
  return [speakOf(AREA, '').warning(text, 'run them on machines that fail independently')]
}

function hostOf(address: string): string {
  return address.slice(0, address.lastIndexOf(':'))
}

/** `searchSentinels` has left out what is one process under two addresses. */
function judgeClones(reached: readonly SeenSentinel[]): readonly DeepFinding[] {
  const ids = new Set(reached.map(({ myid }) => myid).filter((id) => /^[0-9a-f]{40}$/.test(id)))
  return [...ids].flatMap((id) => {
    const same = reached.filter(({ myid }) => myid === id).map(({ address }) => address)
    if (same.length < 2) return []
    const text = `${same.join(' and ')} have one id (${id.slice(0, 8)}): the others count one of them, and both could be elected`
    return [speakOf(AREA, '').problem(text, CLONE_CURE)]
  })
}

/** Its peers may all name one address of the two; a Vedette Sentinel hears of the other. */
function judgeHeardClone({ address, info }: SeenSentinel): readonly DeepFinding[] {
  const end = `; ${CLONE_CURE}`
  const remark = [...info].find(([name, text]) => /^remark\d+$/.test(name) && text.endsWith(end))
  if (remark === undefined) return []
  const text = remark[1].slice(0, -end.length).replace(/^.*?text=/, '')
  return [speakOf(AREA, address).problem(text, CLONE_CURE)]
}

const SAME_SETTINGS = ['resolve-hostnames', 'announce-hostnames', 'sentinel-user'] as const

function judgeSettings(reached: readonly SeenSentinel[]): readonly DeepFinding[] {
  const speak = speakOf(AREA, '')
  const differing = SAME_SETTINGS.flatMap((name) => {
    const words = differences(
      reached.flatMap(({ address, settings }) => {
        const value = settings?.get(name)
        return value === undefined ? [] : [[address, value] as const]
      }),
    )
    if (words === undefined) return []
    return [speak.warning(`${name} differs: ${words}`, 'set the same on every Sentinel')]
  })
  const programs = reached.flatMap(({ address, info }) => {
    const program = programIn(info)
    return program === undefined ? [] : [[address, program] as const]
  })
  // Ours may stand beside those of Redis.
  const versions = [true, false].flatMap((ours) => {
    const words = differences(programs.filter(([, program]) => isOurs(program) === ours))
    if (words === undefined) return []
    return [speak.warning(`versions differ: ${words}`, 'upgrade the older ones')]
  })
  return [...differing, ...versions]
}

const SAME_KEYS = ['quorum', 'downAfterMs', 'failoverTimeoutMs', 'parallelSyncs'] as const
const SAME_OPTIONS = SAME_KEYS.map((key) => GROUP_OPTIONS[key].name)
/** Shown only where it is set. A proxy outside finds no majority for a master if the Sentinels tell it several addresses. */
const TOLD_ADDRESSES = GROUP_OPTIONS.clientAddresses.name

function judgeInGroup(
  group: GroupConfig,
  scene: SentinelScene,
  reached: readonly SeenSentinel[],
): readonly DeepFinding[] {
  const views = reached.flatMap((one) => {
    const fields = one.groups.find(({ name }) => name === group.name)
    return fields === undefined ? [] : [{ one, fields }]
  })
  return [
    ...judgeReach(group, scene, reached),
    ...judgeMonitored(group, reached, views.length),
    ...judgeOptions(group, views),
    ...views.flatMap((view) => judgeOutlook(group, view)),
    ...judgeMutual(group, views),
  ]
}

interface View {
  readonly one: SeenSentinel
  readonly fields: InstanceFields
}

/** Could a failover be decided now, and could it at all? */
function judgeReach(
  group: GroupConfig,
  { sentinels, planned }: SentinelScene,
  reached: readonly SeenSentinel[],
): readonly DeepFinding[] {
  const speak = speakOf(areaOf(group), '')
  const known = Math.max(sentinels.length, planned ?? 0)
  const { quorum } = group
  if (planned === undefined && sentinels.length === 1 && reached.length === 0) {
    const text = `no Sentinel answers: whether quorum ${quorum} can be reached is not known`
    return [speak.warning(text, 'start the Sentinels, or say in the file how many there will be')]
  }
  if (quorum > known) {
    const text = `quorum ${quorum} can never be reached: ${known} Sentinels are known`
    return [speak.problem(text, `use ${majority(known)}, or start more Sentinels`)]
  }
  const needed = Math.max(quorum, majority(known))
  if (reached.length >= needed) {
    return [speak.passed(`${reached.length} of ${known} Sentinels answer, ${needed} are needed`)]
  }
  // Before the first start none runs, and each has been named already.
  const text = `${reached.length} of ${known} Sentinels answer: a failover needs ${needed}`
  return [speak.problem(text, 'start the others')]
}

function judgeMonitored(
  group: GroupConfig,
  reached: readonly SeenSentinel[],
  views: number,
): readonly DeepFinding[] {
  const telling = reached.filter(({ groups }) => groups.length > 0)
  if (views === telling.length) return []
  const missing = telling.filter(({ groups }) => groups.every(({ name }) => name !== group.name))
  const text = `${missing.map(({ address }) => address).join(', ')} does not watch this group`
  return [
    speakOf(areaOf(group), '').problem(
      text,
      'give every Sentinel the same groups, by the same names',
    ),
  ]
}

function judgeOptions(group: GroupConfig, views: readonly View[]): readonly DeepFinding[] {
  const speak = speakOf(areaOf(group), '')
  const differing = [...SAME_OPTIONS, TOLD_ADDRESSES].flatMap((name) => {
    const missing = name === TOLD_ADDRESSES ? 'none' : '?'
    const told = views.map(({ one, fields }) => [one.address, fields[name] ?? missing] as const)
    const words = differences(told)
    if (words === undefined) return []
    return [
      speak.warning(`${name} differs: ${words}`, `SENTINEL SET ${group.name} ${name} … on each`),
    ]
  })
  const masters = views.map(({ one, fields }) => {
    return [one.address, `${fields.ip ?? '?'}:${fields.port ?? '?'}`] as const
  })
  const words = differences(masters)
  if (words !== undefined) {
    const hint = '`vedette status` shows more; the Sentinel with the lower config-epoch is wrong'
    differing.push(speak.problem(`the Sentinels name different masters: ${words}`, hint))
  }
  const own = views.find(({ one }) => one.isOwn)
  if (own !== undefined) differing.push(...judgeOwnFile(group, own.fields, speak))
  if (differing.length > 0 || views.length < 2) return differing
  return [
    speak.passed(`${views.length} Sentinels agree on the master and on ${SAME_OPTIONS.join(', ')}`),
  ]
}

/** What was changed at run time outlives a restart, and surprises whoever reads the file. */
function judgeOwnFile(
  group: GroupConfig,
  fields: InstanceFields,
  speak: FindingWords,
): readonly DeepFinding[] {
  return SAME_KEYS.flatMap((key) => {
    const { name } = GROUP_OPTIONS[key]
    const running = fields[name]
    if (running === undefined || running === String(group[key])) return []
    const text = `${name} is ${group[key]} in the file and ${running} in the running Sentinel`
    return [
      speak.warning(
        text,
        'write the running value into the file, or SENTINEL SET the value of the file',
      ),
    ]
  })
}

/** What each Sentinel cannot reach itself, whatever we can: its own password or network may be wrong. */
function judgeOutlook(group: GroupConfig, { one, fields }: View): readonly DeepFinding[] {
  const flags = (fields.flags ?? '').split(',').filter((flag) => UNREACHED.includes(flag))
  if (flags.length === 0) return []
  const text = `it does not reach the master itself (${flags.join(', ')})`
  const { authPass } = GROUP_OPTIONS
  const hint = `check ${authPass.name}, certificates and network there; \`vedette status\` may say why`
  return [speakOf(areaOf(group), `Sentinel ${one.address}`).problem(text, hint)]
}

const UNREACHED: readonly string[] = ['s_down', 'o_down', 'disconnected']

/** Each should know all the others. */
function judgeMutual(group: GroupConfig, views: readonly View[]): readonly DeepFinding[] {
  const told = views.map(({ one, fields }) => {
    return [one.address, fields['num-other-sentinels'] ?? '?'] as const
  })
  const words = differences(told)
  if (words === undefined) return []
  const hint =
    'they find each other through the master: check that all can SUBSCRIBE and PUBLISH there'
  return [
    speakOf(areaOf(group), '').warning(`they know different numbers of others: ${words}`, hint),
  ]
}
