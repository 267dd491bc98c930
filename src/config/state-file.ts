/**
 * The state file: what a Sentinel must not forget, as text and back.
 *
 * One header line (magic, format version, length and SHA-256 of the rest), then JSON. The header is a
 * function of the body, so reading is writing again and comparing: a file cut at any byte, or with any
 * byte changed or added, is refused as a whole. Half a memory is worse than none, because a Sentinel
 * that forgot its vote could give it twice. All characters are ASCII, whatever the names contain.
 */
import { z } from 'zod'
import { sha256 } from '../base/sha256.ts'
import { DEFAULT_GROUP, DETECTIONS, type GlobalSettings, type GroupConfig } from '../core/config.ts'
import type { SavedGroup, SavedState } from '../core/memory/saved.ts'

export type DecodedState =
  | { readonly ok: true; readonly value: SavedState }
  /** `reason` is for the log: a part of a sentence. */
  | { readonly ok: false; readonly reason: string }

const MAGIC = 'vedette-state'
const FORMAT_VERSION = 2
/** Without the options of a group that came with version 2. */
const OLD_VERSION = 1

/** SHA-256 of ASCII text, in lower-case hex. */
export type Digest = (text: string) => string

/**
 * The whole content of a state file. Whoever has a faster `digest` hands it in: with many groups ours
 * takes most of the time of a save.
 */
export function encodeState(saved: SavedState, digest: Digest = sha256): string {
  return withHeader(`${toAscii(JSON.stringify(saved, null, 1))}\n`, FORMAT_VERSION, digest)
}

/**
 * Reads what `encodeState` wrote, in this version or the one before; anything else is refused with a
 * reason, and never in part.
 */
export function decodeState(text: string): DecodedState {
  const headerEnd = text.indexOf('\n') + 1
  const body = text.slice(headerEnd)
  const isSound = [FORMAT_VERSION, OLD_VERSION].some((version) => {
    return withHeader(body, version) === text
  })
  if (isSound) return validate(upgraded(parseJson(body)))
  return refuse(reasonOf(text.slice(0, headerEnd)))
}

/** Options that the writer knew nothing of are as they were for it: an upgrade forgets no vote. */
function upgraded(value: unknown): unknown {
  const { groups, removed, ...rest } = Object(value)
  if (!Array.isArray(groups) || !Array.isArray(removed)) return value
  const upgradedGroup = (group: unknown) => {
    const { file, current } = Object(group)
    return { ...Object(group), file: file && completed(file), current: completed(current) }
  }
  return { ...rest, groups: groups.map(upgradedGroup), removed: removed.map(completed) }
}

function completed(config: unknown): unknown {
  return { ...DEFAULT_GROUP, ...AS_IT_WAS, ...Object(config) }
}

/** Where the file says otherwise, it says something new, and wins. */
const AS_IT_WAS: Pick<GroupConfig, 'detection'> = { detection: 'ping' }

/** Undefined for what is no JSON, which no schema accepts. */
function parseJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

function withHeader(body: string, version: number, digest: Digest = sha256): string {
  return `${MAGIC} ${version} ${body.length} ${digest(body)}\n${body}`
}

function toAscii(text: string): string {
  return text.replace(/[^\n -~]/g, (char) => {
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/** Why a header is not the one its body should have. */
function reasonOf(header: string): string {
  const [magic, version] = header.split(' ')
  if (magic !== MAGIC) return 'it is not a Vedette state file'
  if (/^\d+$/.test(version ?? '') && version !== String(FORMAT_VERSION)) {
    return `its format version is ${version}, this program reads version ${FORMAT_VERSION}`
  }
  return 'it is cut off or damaged (length or checksum differ)'
}

function validate(value: unknown): DecodedState {
  const parsed = SAVED_STATE.safeParse(value)
  if (parsed.success) return { ok: true, value: parsed.data }
  const [issue] = parsed.error.issues
  return refuse(`${issue?.path.join('.') || 'content'}: ${issue?.message}`)
}

function refuse(reason: string): DecodedState {
  return { ok: false, reason }
}

const RUN_ID = z.string().regex(/^[0-9a-f]{40}$/, 'not 40 lower-case hex characters')
const EPOCH = z.int().min(0)
const PORT = z.int().min(0).max(65_535)
const DURATION_MS = z.int().min(1)

const GROUP_CONFIG: z.ZodType<GroupConfig> = z.strictObject({
  name: z.string().min(1),
  host: z.string(),
  port: PORT,
  quorum: z.int().min(1),
  downAfterMs: DURATION_MS,
  failoverTimeoutMs: DURATION_MS,
  parallelSyncs: z.int(),
  authUser: z.string(),
  authPass: z.string(),
  notificationScript: z.string(),
  clientReconfigScript: z.string(),
  renamedCommands: z.array(z.tuple([z.string(), z.string()])),
  rebootDownAfterMs: z.int().min(0),
  detection: z.enum(DETECTIONS),
  refusedAfterMs: DURATION_MS,
  grayAfterMs: z.int().min(0),
})

const SETTINGS: z.ZodType<GlobalSettings> = z.strictObject({
  announceIp: z.string(),
  announcePort: PORT,
  resolveHostnames: z.boolean(),
  announceHostnames: z.boolean(),
  sentinelUser: z.string(),
  sentinelPass: z.string(),
  logLevel: z.enum(['debug', 'verbose', 'notice', 'warning', 'nothing']),
})

const USERS = z.array(z.array(z.string()))

const SAVED_GROUP = z
  .strictObject({
    file: GROUP_CONFIG.optional(),
    current: GROUP_CONFIG,
    configEpoch: EPOCH,
    leaderEpoch: EPOCH,
    leader: z.string(),
    replicas: z.array(z.strictObject({ host: z.string(), port: PORT })),
    peers: z.array(z.strictObject({ runId: RUN_ID, host: z.string(), port: PORT })),
  })
  // JSON leaves out what is undefined; the type wants it said.
  .transform((group): SavedGroup => ({ ...group, file: group.file }))

const SAVED_STATE: z.ZodType<SavedState> = z
  .strictObject({
    myid: RUN_ID,
    currentEpoch: EPOCH,
    groups: z.array(SAVED_GROUP),
    removed: z.array(GROUP_CONFIG),
    settings: z.strictObject({ file: SETTINGS, current: SETTINGS }).optional(),
    users: z.strictObject({ file: USERS, current: USERS }).optional(),
  })
  .transform((saved) => ({ ...saved, settings: saved.settings, users: saved.users }))
