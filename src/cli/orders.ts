/**
 * `vedette pause`, `resume` and `forget`: orders that one Sentinel is given and all carry out. The
 * Sentinel answers once the others have, with how many agreed.
 */
import { utf8Bytes } from '../base/utf8.ts'
import { reasonOf } from '../io/start-error.ts'
import { printJson } from './json-answer.ts'
import { EXIT_CONFIG, EXIT_FAILED, say } from './report.ts'
import {
  type AccessOptions,
  connect,
  readAccess,
  type SentinelLogin,
  splitAddress,
} from './status/access.ts'
import { askAll } from './status/ask.ts'
import { printable } from './status/asking.ts'
import { grantFor } from './status/grant.ts'
import { groupNamed, isUnknownGroup } from './status/group-named.ts'
import { readText } from './status/shapes.ts'
import { silentLines } from './status/silence.ts'
import { DEFAULT_SENTINEL_ADDRESS, EXIT_NO_ANSWER } from './status/status.ts'
import { isVedette, type SentinelAnswer } from './status/view.ts'

interface OrderOptions extends AccessOptions {
  readonly sentinel?: readonly string[]
  readonly json?: boolean
}

export interface PauseOptions extends OrderOptions {
  /** Seconds. */
  readonly for: number
  readonly reason?: string
}

export interface ForgetOptions extends OrderOptions {
  readonly here?: boolean
}

export async function runPause(group: string, options: PauseOptions): Promise<number> {
  const { for: seconds, reason } = options
  const words = ['PAUSE', String(seconds), ...(reason === undefined ? [] : [reason])]
  const until = new Date(Date.now() + seconds * 1_000).toISOString()
  const facts = { paused: true, seconds, until, reason: reason ?? '' }
  return await giveOrder(group, options, { words, facts, done: `until ${until}` })
}

export async function runResume(group: string, options: OrderOptions): Promise<number> {
  const order = { words: ['RESUME'], facts: { paused: false }, done: '' }
  // Another Sentinel may know of a pause that this one has not heard of.
  const prefers = ({ groups }: SentinelAnswer) =>
    groups.some(({ name, master }) => name === group && master['pause-left-ms'] !== undefined)
  return await giveOrder(group, options, order, prefers)
}

/** `address` is `host:port` of a replica or a Sentinel. */
export async function runForget(
  group: string,
  address: string,
  options: ForgetOptions,
): Promise<number> {
  const { host, port } = splitAddress(address)
  const where = options.here === true ? ['LOCAL'] : []
  const words = ['FORGET', host, String(port), ...where]
  return await giveOrder(group, options, { words, facts: { forgotten: address }, done: '' })
}

interface OrderWords {
  /** Behind `SENTINEL`, without the group, which is the second of them. */
  readonly words: readonly string[]
  /** For scripts, if it is carried out. */
  readonly facts: Readonly<Record<string, unknown>>
  /** What the text for people adds. */
  readonly done: string
}

async function giveOrder(
  group: string,
  options: OrderOptions,
  order: OrderWords,
  prefers: (view: SentinelAnswer) => boolean = () => false,
): Promise<number> {
  const access = readAccess(options)
  const address = await chooseSentinel(options, access, prefers)
  if (address === undefined) {
    if (options.json === true) printJson({ group, ok: false, error: 'no Sentinel answers' })
    return EXIT_NO_ANSWER
  }
  const answer = await carryOut(address, access, group, order.words)
  if (answer instanceof Error) return tellRefusal(group, options, address, answer.message)
  const [, agreed, of] = /^OK (\d+) of (\d+) /.exec(answer) ?? []
  const counts = { agreed: Number(agreed ?? 1), of: Number(of ?? 1) }
  if (options.json === true)
    printJson({ group, ok: true, ...order.facts, ...counts, sentinel: address, text: answer })
  else {
    const text = answer.replace(/^OK ?/, '') || 'done'
    process.stdout.write(`${[text, order.done].filter((part) => part !== '').join(', ')}\n`)
  }
  return 0
}

/** The first Vedette Sentinel that answers and is preferred, or else the first that answers. */
async function chooseSentinel(
  { sentinel }: OrderOptions,
  access: SentinelLogin,
  prefers: (view: SentinelAnswer) => boolean,
): Promise<string | undefined> {
  const addresses = sentinel ?? [DEFAULT_SENTINEL_ADDRESS]
  const views = await askAll(addresses, access)
  const answering = views.filter(({ failure }) => failure === undefined)
  if (answering.length === 0) for (const line of silentLines(views, true)) say(line)
  const ours = answering.filter(isVedette)
  return (ours.find(prefers) ?? ours[0] ?? answering[0])?.address
}

async function carryOut(
  address: string,
  access: SentinelLogin,
  group: string,
  [name = '', ...words]: readonly string[],
): Promise<string | Error> {
  const client = connect(address, access)
  try {
    await client.open()
    const { word } = await groupNamed(client, group)
    const reply = await client.call('SENTINEL', name, word, ...words.map(utf8Bytes))
    return printable(readText(`SENTINEL ${name}`, reply))
  } catch (error) {
    return new Error(reasonOf(error))
  } finally {
    client.disconnect()
  }
}

function tellRefusal(
  group: string,
  { json, user }: OrderOptions,
  address: string,
  reason: string,
): number {
  const hint = grantFor(reason, user) ?? hintFor(reason)
  if (json === true) printJson({ group, ok: false, sentinel: address, error: reason, hint })
  else {
    say(`vedette: Sentinel ${address} refuses: ${reason}`)
    say(`  ${hint}`)
  }
  return isUnknownGroup(reason) ? EXIT_CONFIG : EXIT_FAILED
}

/** What to do about each possible refusal. */
function hintFor(reason: string): string {
  if (isUnknownGroup(reason)) return '`vedette status` lists the groups this Sentinel watches'
  if (/unknown.*subcommand/i.test(reason))
    return 'only Vedette Sentinels can: name one with --sentinel, and see `vedette status`'
  if (reason.startsWith('NOMAJORITY'))
    return '`vedette status` tells which Sentinels are out of reach, and what program each is'
  if (reason.startsWith('NOTPAUSED')) return '`vedette status` shows a pause and who holds it'
  if (reason.startsWith('INPROG')) return 'a failover is running: `vedette status --watch` shows it'
  if (reason.startsWith('LISTED'))
    return 'the master drops it after its repl-timeout, 60 s by default'
  if (reason.startsWith('ALIVE')) return 'stop it, wait until it is seen down, and try again'
  if (/No replica and no Sentinel/.test(reason))
    return '`vedette status` lists the replicas and Sentinels that it knows'
  return 'the log of the Sentinel may say more'
}
