/**
 * The `sentinel … <group> …` directives: rules of a group, and what Redis has learnt about it and wrote
 * into its file.
 */
import { DETECTIONS, type RenamedCommand } from '../core/config.ts'
import { within } from './conf-outside.ts'
import { lenientInteger } from './lenient.ts'
import { BAD_EPOCH, isRunId, readAddress, readEpoch } from './sentinel-directives.ts'
import {
  type Draft,
  EXTENSION,
  type GroupDraft,
  notice,
  type Objection,
  refusal,
} from './sentinel-draft.ts'

export interface GroupDirective {
  /** How many words may follow the name of the group. */
  readonly words: readonly number[]
  apply(group: GroupDraft, words: readonly string[], draft: Draft): Objection | undefined
}

export const GROUP_DIRECTIVES: ReadonlyMap<string, GroupDirective> = new Map([
  ['down-after-milliseconds', { words: [1], apply: setDownAfter }],
  ['failover-timeout', { words: [1], apply: setFailoverTimeout }],
  ['parallel-syncs', { words: [1], apply: setParallelSyncs }],
  ['auth-user', { words: [1], apply: setAuthUser }],
  ['auth-pass', { words: [1], apply: setAuthPass }],
  ['config-epoch', { words: [1], apply: setConfigEpoch }],
  ['leader-epoch', { words: [1], apply: setLeaderEpoch }],
  ['known-replica', { words: [2], apply: addReplica }],
  ['known-slave', { words: [2], apply: addReplica }],
  ['known-sentinel', { words: [2, 3], apply: addPeer }],
  ['notification-script', { words: [1], apply: setNotificationScript }],
  ['client-reconfig-script', { words: [1], apply: setClientReconfigScript }],
  ['rename-command', { words: [2], apply: renameCommand }],
  ['master-reboot-down-after-period', { words: [1], apply: setRebootPeriod }],
  // Valkey's name for it.
  ['primary-reboot-down-after-period', { words: [1], apply: setRebootPeriod }],
  // Ours.
  ['detection', { words: [1], apply: setDetection }],
  ['refused-after', { words: [1], apply: setRefusedAfter }],
  ['gray-after', { words: [1], apply: setGrayAfter }],
])

type Words = readonly string[]

function setDownAfter(group: GroupDraft, [text = '']: Words): Objection | undefined {
  const ms = lenientInteger(text)
  if (ms < 1) return BAD_TIME
  group.config.downAfterMs = Math.min(ms, MAX_DURATION_MS)
  return ms > MAX_DURATION_MS ? LONG_TIME : undefined
}

function setFailoverTimeout(group: GroupDraft, [text = '']: Words): Objection | undefined {
  const ms = lenientInteger(text)
  if (ms < 1) return BAD_TIME
  group.config.failoverTimeoutMs = Math.min(ms, MAX_DURATION_MS)
  return ms > MAX_DURATION_MS ? LONG_TIME : undefined
}

const BAD_TIME = refusal('E_RANGE', 'negative or zero time parameter.')
/** Timers are 32-bit. */
const MAX_DURATION_MS = 2 ** 31 - 1
const LONG_TIME = notice('a time of more than 24 days is taken as 24 days')

/** Redis takes any number, and with less than 1 reconfigures no replica before the timeout. */
function setParallelSyncs(group: GroupDraft, [text = '']: Words): Objection | undefined {
  const count = lenientInteger(text)
  if (!Number.isSafeInteger(count)) return refusal('E_RANGE', 'parallel-syncs is out of range')
  group.config.parallelSyncs = count
  if (count >= 1) return undefined
  return notice('no replica is reconfigured before the failover times out', 'use 1 or more')
}

function setAuthUser(group: GroupDraft, [user = '']: Words): undefined {
  group.config.authUser = user
}

function setAuthPass(group: GroupDraft, [password = '']: Words): undefined {
  group.config.authPass = password
}

function setConfigEpoch(
  group: GroupDraft,
  [text = '']: Words,
  draft: Draft,
): Objection | undefined {
  const epoch = readEpoch(text)
  if (epoch === undefined) return BAD_EPOCH
  group.configEpoch = epoch
  draft.currentEpoch = Math.max(draft.currentEpoch, epoch)
  return undefined
}

function setLeaderEpoch(group: GroupDraft, [text = '']: Words): Objection | undefined {
  const epoch = readEpoch(text)
  if (epoch === undefined) return BAD_EPOCH
  group.leaderEpoch = epoch
  return undefined
}

function addReplica(
  group: GroupDraft,
  [host = '', port = '']: Words,
  draft: Draft,
): Objection | undefined {
  const address = readAddress(draft, host, port)
  if ('severity' in address) return address
  const isKnown = group.replicas.some(
    (replica) => replica.host === address.host && replica.port === address.port,
  )
  if (isKnown) return refusal('E_DUPLICATE', 'Duplicate hostname and port for replica.')
  group.replicas.push(address)
  return undefined
}

function addPeer(group: GroupDraft, words: Words, draft: Draft): Objection | undefined {
  const [host = '', port = '', runId] = words
  // Written by Sentinels so old that they did not know run ids; Redis skips it as well.
  if (runId === undefined) return undefined
  const address = readAddress(draft, host, port)
  if ('severity' in address) return address
  if (!isRunId(runId)) return notice('the run id is not 40 hex characters: the line is skipped')
  if (group.peers.some((peer) => peer.runId === runId)) {
    return refusal('E_DUPLICATE', 'Duplicate runid for sentinel.')
  }
  group.peers.push({ ...address, runId })
  return undefined
}

function setNotificationScript(
  group: GroupDraft,
  [path = '']: Words,
  draft: Draft,
): Objection | undefined {
  if (!canRun(draft, path)) {
    return refusal('E_VALUE', 'Notification script seems non existing or non executable.')
  }
  group.config.notificationScript = path
  return undefined
}

function setClientReconfigScript(
  group: GroupDraft,
  [path = '']: Words,
  draft: Draft,
): Objection | undefined {
  if (!canRun(draft, path)) {
    const message = 'Client reconfiguration script seems non existing or non executable.'
    return refusal('E_VALUE', message)
  }
  group.config.clientReconfigScript = path
  return undefined
}

function canRun({ outside, program }: Draft, path: string): boolean {
  return outside.isExecutable(within(program.stateDir, path))
}

function renameCommand(group: GroupDraft, [name = '', sentAs = '']: Words): Objection | undefined {
  const { renamedCommands } = group.config
  const command = name.toLowerCase()
  if (renamedCommands.some(([known]) => known === command)) {
    return refusal('E_DUPLICATE', 'Same command renamed multiple times with rename-command.')
  }
  const renamed: RenamedCommand = [command, sentAs]
  group.config.renamedCommands = [...renamedCommands, renamed]
  return undefined
}

function setRebootPeriod(group: GroupDraft, [text = '']: Words): Objection | undefined {
  const ms = lenientInteger(text)
  if (ms < 0) return refusal('E_RANGE', 'negative time parameter.')
  group.config.rebootDownAfterMs = Math.min(ms, MAX_DURATION_MS)
  return ms > MAX_DURATION_MS ? LONG_TIME : undefined
}

function setDetection(group: GroupDraft, [text = '']: Words): Objection {
  const detection = DETECTIONS.find((word) => word === text.toLowerCase())
  if (detection === undefined) {
    return refusal('E_VALUE', 'Please specify ping or evidence for the detection option.')
  }
  group.config.detection = detection
  return EXTENSION
}

function setRefusedAfter(group: GroupDraft, [text = '']: Words): Objection {
  const ms = lenientInteger(text)
  if (ms < 1) return BAD_TIME
  group.config.refusedAfterMs = Math.min(ms, MAX_DURATION_MS)
  return ms > MAX_DURATION_MS ? LONG_TIME : EXTENSION
}

function setGrayAfter(group: GroupDraft, [text = '']: Words): Objection {
  const ms = lenientInteger(text)
  if (ms < 0) return refusal('E_RANGE', 'negative time parameter.')
  group.config.grayAfterMs = Math.min(ms, MAX_DURATION_MS)
  return ms > MAX_DURATION_MS ? LONG_TIME : EXTENSION
}
