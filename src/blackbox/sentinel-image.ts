/**
 * A Sentinel's whole state as text, without its secrets, from which the machine goes on exactly as
 * the living one did. What decides nothing is left out: the counters of events, the log of refused
 * logins, the source of new passwords.
 */
import { AclLog } from '../acl/log.ts'
import type { Account } from '../acl/users.ts'
import { type Rng, reviveRng } from '../base/rng.ts'
import type { Access } from '../core/access/access.ts'
import { startAccess } from '../core/access/access-start.ts'
import type { SentinelConfig } from '../core/config.ts'
import { newTally } from '../core/report/event-tally.ts'
import type { CpuUsage, ProcessFacts } from '../core/report/process-facts.ts'
import type { State } from '../core/state.ts'
import { Timers, type TimersImage } from '../core/timers.ts'
import { RequestDecoder } from '../resp/request-decoder.ts'
import type { ClientInput } from './client-input.ts'
import { ImageFault, readImage, type Substitute, writeImage } from './image.ts'
import { type Hiding, hideProperty, hideRequest, hideUserLine } from './secrets.ts'

interface Whole {
  readonly state: State
  /** The deadlines: the state's own timers do not show them. */
  readonly timers: TimersImage<unknown>
}

export function imageOf(state: State, hiding: Hiding, input: ClientInput): string {
  const whole: Whole = { state, timers: state.timers.image() }
  return writeImage(whole, {
    substitute: (object, key) => substituteFor(state, hiding, input, object, key),
    shown: (key, value) =>
      key === 'waitingArgv'
        ? hideWaiting(hiding, value as readonly string[])
        : hideProperty(hiding, key, value),
  })
}

function hideWaiting(hiding: Hiding, argv: readonly string[]): readonly string[] {
  return hideRequest(hiding, argv[0]?.toLowerCase() ?? '', argv)
}

function substituteFor(
  state: State,
  hiding: Hiding,
  input: ClientInput,
  object: object,
  key: string,
): Substitute | undefined {
  if (object === state.access) return { c: 'access', v: accessContent(state, hiding) }
  if (object === state.timers) return { c: 'timers', v: null }
  if (object === state.rng) return { c: 'rng', v: state.rng.image() }
  if (object === state.stats.tally) return { c: 'tally', v: null }
  if (object === state.process) return { c: 'process', v: { ...state.process } }
  if (key === 'account') return { c: 'account', v: accountContent(state.access, object as Account) }
  if (!(object instanceof RequestDecoder)) return undefined
  const { limits, isAuthenticated, unfinished = '' } = object
  const waiting = input.waiting(state, unfinished)
  return { c: 'decoder', v: { limits, isAuthenticated, waiting } }
}

interface AccessContent {
  readonly config: Pick<SentinelConfig, 'aclPubsubDefault' | 'aclLogMaxLength'>
  readonly fileLines: readonly (readonly string[])[]
  readonly lines: readonly (readonly string[])[]
  readonly isLearnt: boolean
  readonly aclFile?: string | undefined
}

function accessContent({ access, config }: State, hiding: Hiding): AccessContent {
  const { aclPubsubDefault, aclLogMaxLength } = config
  const lines = access.users.all.map((account) => access.users.describe(account))
  return {
    config: { aclPubsubDefault, aclLogMaxLength },
    fileLines: access.fileLines.map((line) => hideUserLine(hiding, line)),
    lines: lines.map((line) => hideUserLine(hiding, line)),
    isLearnt: access.isLearnt,
    aclFile: access.aclFile,
  }
}

interface AccountContent {
  readonly name: string
  /** False for users who were deleted meanwhile, and for clients of the HTTP port. */
  readonly isKnown: boolean
  readonly isUnrestricted: boolean
}

function accountContent(access: Access, account: Account): AccountContent {
  const { name, isUnrestricted } = account
  return { name, isUnrestricted, isKnown: access.users.get(name) === account }
}

/** `cpuUsage` is asked for what the living process answered. Throws an ImageFault. */
export function stateOf(text: string, cpuUsage: () => CpuUsage): State {
  let access: Access | undefined
  const root = readImage(text, (codec, content) => {
    switch (codec) {
      case 'access':
        access = accessOf(content as AccessContent)
        return access
      case 'account':
        return accountOf(access, content as AccountContent)
      case 'decoder':
        return decoderOf(content as DecoderContent)
      case 'process':
        return { ...(content as ProcessFacts), cpuUsage }
      case 'rng':
        return rngOf(content)
      case 'tally':
        return newTally()
      case 'timers':
        return new Timers()
      default:
        throw new ImageFault(`an unknown kind of object: ${JSON.stringify(codec)}`)
    }
  })
  return resumed(root)
}

function resumed(root: object): State {
  const { state, timers } = root as Partial<Whole>
  if (!(state?.timers instanceof Timers)) throw new ImageFault('it holds no state of a Sentinel')
  if (!Array.isArray(timers?.standing)) throw new ImageFault('it holds no deadlines')
  ;(state.timers as unknown as Timers<never>).resume(timers as TimersImage<never>)
  return state
}

/** The hashes of passwords are those of the names that stand for the passwords. */
function accessOf({ config, fileLines, lines, isLearnt, aclFile }: AccessContent): Access {
  const start = {
    config: config as SentinelConfig,
    saved: { file: fileLines, current: lines },
    aclFile: undefined,
    secret: 'a machine played from its record tells nobody a password',
  }
  const withUsers = { ...start, config: { ...start.config, users: fileLines, requirepass: '' } }
  const { access } = startAccess(withUsers)
  const log = new AclLog(() => config.aclLogMaxLength)
  return { ...access, log, fileLines: [...fileLines], isLearnt, aclFile }
}

function accountOf(access: Access | undefined, content: AccountContent): Account {
  const { name, isKnown, isUnrestricted } = content
  if (access === undefined) throw new ImageFault('it has an account and no users')
  const account = isKnown ? access.users.get(name) : undefined
  return account ?? { name, user: access.users.default.user, isUnrestricted }
}

interface DecoderContent {
  readonly limits: RequestDecoder['limits']
  readonly isAuthenticated: boolean
  readonly waiting: string
}

function decoderOf({ limits, isAuthenticated, waiting }: DecoderContent): RequestDecoder {
  const decoder = new RequestDecoder(limits)
  decoder.isAuthenticated = isAuthenticated
  decoder.push(waiting)
  return decoder
}

function rngOf(content: unknown): Rng {
  return reviveRng(content as Parameters<typeof reviveRng>[0])
}
