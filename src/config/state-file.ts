/**
 * The state file: what a Sentinel must not forget, as text and back.
 *
 * One header line (magic, format version, length and SHA-256 of the rest), then JSON. The header is
 * a function of the body, so reading is writing again and comparing: a file cut at any byte, or
 * with any byte changed or added, is refused as a whole. Half a state is worse than none, because a
 * Sentinel that forgot its vote could give it twice. All characters are ASCII, whatever the names
 * contain.
 */

import { unreachable } from '../base/assert.ts'
import { jsonIn } from '../base/json.ts'
import { sha256 } from '../base/sha256.ts'
import { DEFAULT_GROUP, GROUP_AS_IN_REDIS, type GroupConfig } from '../core/config.ts'
import {
  GLOBAL_SETTING_ROWS,
  type GlobalSetting,
  type GlobalSettings,
  LOG_LEVELS,
} from '../core/global-settings.ts'
import type { GroupOption } from '../core/group-option-kinds.ts'
import { GROUP_OPTION_ROWS, type GroupOptionKey, isHidden } from '../core/group-options.ts'
import type { SavedPause } from '../core/pause/pause-record.ts'
import type { SavedGroup, SavedState } from '../core/persistence/saved.ts'
import { z } from './zod.ts'

export type DecodedState =
  | { readonly ok: true; readonly value: SavedState }
  /**
   * `reason` is for the log: part of a sentence. `isWhole`: nothing of it is damaged, but another version of this
   * program wrote it.
   */
  | { readonly ok: false; readonly reason: string; readonly isWhole: boolean }

const MAGIC = 'vedette-state'
const FORMAT_VERSION = 2
/** Lacks the group options that version 2 added. */
const OLD_VERSION = 1

/** SHA-256 of ASCII text, in lower-case hex. */
export type Digest = (text: string) => string

/**
 * The whole content of a state file. A caller with a faster `digest` passes it: with many groups
 * ours takes most of the time of a save. It is filled up with blanks to a multiple of `blockBytes`.
 */
export function encodeState(
  saved: SavedState,
  digest: Digest = sha256,
  blockBytes: number = 1,
): string {
  const json = toAscii(JSON.stringify(asWritten(saved), null, 1))
  return withHeader(`${json}${blanksBehind(json, blockBytes)}\n`, FORMAT_VERSION, digest)
}

/**
 * Without the options that are not in use: programs that do not know them yet read the file, too, and give them the
 * same values (see `completed`). Whoever upgraded can go back.
 */
function asWritten(saved: SavedState): object {
  const groups = saved.groups.map((group) => {
    const file = group.file && withoutUnused(group.file)
    return { ...group, file, current: withoutUnused(group.current) }
  })
  return { ...saved, groups, removed: saved.removed.map(withoutUnused) }
}

/** Their defaults must stay as they are, or a file that lacks them would change its meaning. */
const OPTIONS_LEFT_OUT = GROUP_OPTION_ROWS.filter(([, row]) => row.isShownIfSet === true)

function withoutUnused(config: GroupConfig): object {
  const written: Record<string, unknown> = { ...config }
  for (const [key, row] of OPTIONS_LEFT_OUT) if (isHidden(row, config[key])) delete written[key]
  return written
}

const NO_DIGEST = '0'.repeat(64)

/** Blanks after JSON mean nothing, so older programs read them too. */
function blanksBehind(json: string, blockBytes: number): string {
  const lengthWith = (bytes: number) => headerOf(bytes, FORMAT_VERSION, NO_DIGEST).length + bytes
  const blocks = Math.ceil(lengthWith(json.length + 1) / blockBytes)
  // The longer the body, the more digits in its header: counted with the length that it will nearly have.
  const headerLength = lengthWith(blocks * blockBytes) - blocks * blockBytes
  return ' '.repeat(Math.max(0, blocks * blockBytes - headerLength - json.length - 1))
}

/**
 * Reads what `encodeState` wrote, in this version or the previous one; anything else is refused as
 * a whole, with a reason.
 */
export function decodeState(text: string): DecodedState {
  const headerEnd = text.indexOf('\n') + 1
  const body = text.slice(headerEnd)
  const isSound = [FORMAT_VERSION, OLD_VERSION].some((version) => {
    return withHeader(body, version) === text
  })
  // No schema accepts undefined.
  if (isSound) return validate(upgraded(jsonIn(body)))
  return refuseHeader(text.slice(0, headerEnd))
}

/**
 * Options that the writer did not know get the value that keeps its behaviour: an upgrade forgets
 * no vote.
 */
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
  // If the user's file sets the option otherwise, the user has changed it since, and it wins.
  return { ...DEFAULT_GROUP, ...GROUP_AS_IN_REDIS, ...Object(config) }
}

function withHeader(body: string, version: number, digest: Digest = sha256): string {
  return headerOf(body.length, version, digest(body)) + body
}

function headerOf(length: number, version: number, digest: string): string {
  return `${MAGIC} ${version} ${length} ${digest}\n`
}

function toAscii(text: string): string {
  return text.replace(/[^\n -~]/g, (char) => {
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/** Why a header does not match its body. */
function refuseHeader(header: string): DecodedState {
  const [magic, version] = header.split(' ')
  if (magic !== MAGIC) return refuse('it is not a Vedette state file', false)
  if (/^\d+$/.test(version ?? '') && version !== String(FORMAT_VERSION)) {
    const reason = `its format version is ${version}, this program reads version ${FORMAT_VERSION}`
    return refuse(reason, Number(version) > FORMAT_VERSION)
  }
  return refuse('it is cut off or damaged (length or checksum differ)', false)
}

function validate(value: unknown): DecodedState {
  const parsed = SAVED_STATE.safeParse(value)
  if (parsed.success) return { ok: true, value: parsed.data }
  const [issue] = parsed.error.issues
  return refuse(`${issue?.path.join('.') || 'content'}: ${issue?.message}`, true)
}

function refuse(reason: string, isWhole: boolean): DecodedState {
  return { ok: false, reason, isWhole }
}

const RUN_ID = z.string().regex(/^[0-9a-f]{40}$/, 'not 40 lower-case hex characters')
const EPOCH = z.int().min(0)
const PORT = z.int().min(0).max(65_535)

const GROUP_CONFIG: z.ZodType<GroupConfig> = z.strictObject({
  name: z.string().min(1),
  host: z.string(),
  port: PORT,
  ...(Object.fromEntries(
    GROUP_OPTION_ROWS.map(([key, row]) => [key, savedOption(row)]),
  ) as GroupOptionTypes),
})

type GroupOptionTypes = { [Key in GroupOptionKey]: z.ZodType<GroupConfig[Key]> }

function savedOption(row: GroupOption): z.ZodType {
  switch (row.kind) {
    case 'count':
      return row.tooSmall === undefined ? z.int().min(row.least) : z.int()
    case 'duration':
      return z.int().min(row.least)
    case 'text':
    case 'script':
    case 'hook':
      return z.string()
    case 'renames':
    case 'rules':
      return z.array(z.tuple([z.string(), z.string()]))
    case 'addresses':
      return z.array(z.tuple([z.string(), z.string(), z.string()]))
    case 'texts':
      return z.array(z.string())
    case 'word':
      return z.enum(row.words)
    default:
      return unreachable(row)
  }
}

const SETTINGS = z.strictObject(
  Object.fromEntries(GLOBAL_SETTING_ROWS.map(([key, row]) => [key, savedSetting(row)])),
) as unknown as z.ZodType<GlobalSettings>

function savedSetting({ kind }: GlobalSetting): z.ZodType {
  switch (kind) {
    case 'flag':
      return z.boolean()
    case 'port':
      return PORT
    case 'host':
    case 'text':
      return z.string()
    case 'level':
      return z.enum(LOG_LEVELS)
    default:
      return unreachable(kind)
  }
}

const USERS = z.array(z.array(z.string()))

const SAVED_PAUSE: z.ZodType<SavedPause> = z.strictObject({
  number: EPOCH,
  kind: z.enum(['pause', 'resume']),
  origin: RUN_ID,
  by: z.string(),
  reason: z.string(),
  leftMs: z.int().min(0),
  endsAtWallMs: z.int(),
})

const SAVED_GROUP = z
  .strictObject({
    file: GROUP_CONFIG.optional(),
    current: GROUP_CONFIG,
    configEpoch: EPOCH,
    leaderEpoch: EPOCH,
    leader: z.string(),
    blockedUntilWallMs: z.int().min(0).optional(),
    replicas: z.array(z.strictObject({ host: z.string(), port: PORT })),
    peers: z.array(z.strictObject({ runId: RUN_ID, host: z.string(), port: PORT })),
    pause: SAVED_PAUSE.optional(),
  })
  // JSON leaves out undefined values; the type wants the key to be there.
  .transform((group): SavedGroup => ({ ...group, file: group.file }))

const SAVED_STATE: z.ZodType<SavedState> = z
  .strictObject({
    myid: RUN_ID,
    currentEpoch: EPOCH,
    renumbering: z.strictObject({ token: z.string(), isLowered: z.boolean() }).optional(),
    groups: z.array(SAVED_GROUP),
    removed: z.array(GROUP_CONFIG),
    settings: z.strictObject({ file: SETTINGS, current: SETTINGS }).optional(),
    users: z.strictObject({ file: USERS, current: USERS }).optional(),
  })
  .transform((saved) => ({ ...saved, settings: saved.settings, users: saved.users }))
