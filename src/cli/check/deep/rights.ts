/**
 * Does the user a Sentinel logs in as have every right the Sentinel needs? ACL DRYRUN says so where the
 * server has it and the user may ask. Elsewhere the commands are queued in a MULTI that is never executed:
 * a server checks rights when it queues. Nothing is ever run on the server that would change it.
 */
import { reasonOf } from '../../../io/start-error.ts'
import type { ReplyValue } from '../../status/asking.ts'

export interface RightTest {
  readonly right: Right
  /** `unknown`: the server has no such command, renamed perhaps. */
  readonly outcome: 'allowed' | 'denied' | 'unknown' | 'untested'
  /** What must be added to the user's rules. */
  readonly rule: string
}

export interface Right {
  /** The command as it is sent, with arguments. */
  readonly words: readonly string[]
  /** As in an ACL rule: `config|rewrite`. */
  readonly name: string
  /** What does not work without it. */
  readonly purpose: string
  /** How it can be tried without ACL DRYRUN: queued and dropped, sent as it is, or not at all. */
  readonly probe: 'queue' | 'send' | 'never'
  /** Without it the Sentinel manages, with less. */
  readonly isOptional?: boolean
  /** A server without this command does not need it: Vedette runs no scripts. */
  readonly mayBeMissing?: boolean
}

const HELLO = '__sentinel__:hello'

/** docs/users.md, what a Sentinel needs on the data nodes it watches. */
export const NODE_RIGHTS: readonly Right[] = [
  right('ping', 'PING', 'it is taken for down', 'send'),
  right('info', 'INFO', 'replicas are not found', 'send'),
  right('subscribe', `SUBSCRIBE ${HELLO}`, 'Sentinels do not find each other', 'send'),
  right('publish', `PUBLISH ${HELLO} vedette-check`, 'Sentinels do not find each other', 'queue'),
  right('client|setname', 'CLIENT SETNAME vedette-check', 'connections have no name', 'send'),
  right('multi', 'MULTI', 'no failover', 'send'),
  right('exec', 'EXEC', 'no failover', 'send'),
  right('slaveof', 'SLAVEOF NO ONE', 'no failover', 'queue'),
  right('config|rewrite', 'CONFIG REWRITE', 'a restart forgets the new role', 'queue'),
  right('client|kill', 'CLIENT KILL TYPE normal', 'clients keep to the old master', 'queue'),
  {
    ...right('script|kill', 'SCRIPT KILL', 'a busy script looks like a dead master', 'queue'),
    mayBeMissing: true,
  },
]

/** What a handover takes beyond that, of a group that is not strict. */
export const HANDOVER_RIGHTS: readonly Right[] = [
  ...NODE_RIGHTS,
  right('failover', 'FAILOVER TO 127.0.0.1 1 TIMEOUT 1', 'no handover', 'never'),
  right('client|pause', 'CLIENT PAUSE 1 WRITE', 'no handover', 'never'),
  right('client|unpause', 'CLIENT UNPAUSE', 'no handover', 'never'),
]

/** The same for a strict group. No term is 0, so a node that lets the user fence refuses this one. */
export const STRICT_NODE_RIGHTS: readonly Right[] = [
  ...NODE_RIGHTS,
  right('fence', 'FENCE 0 vedette-check ASK', 'no failover of a strict group', 'send'),
]

/** What Sentinels need on each other. */
export const PEER_RIGHTS: readonly Right[] = [
  right('ping', 'PING', 'it is taken for down', 'send'),
  right('publish', `PUBLISH ${HELLO} vedette-check`, 'news reach it late', 'never'),
  right('client|setname', 'CLIENT SETNAME vedette-check', 'connections have no name', 'send'),
  right(
    'sentinel|is-master-down-by-addr',
    'SENTINEL IS-MASTER-DOWN-BY-ADDR 127.0.0.1 1 0 *',
    'no vote and no quorum',
    'send',
  ),
  {
    ...right('sentinel|myid', 'SENTINEL MYID', 'its identity is not proven', 'send'),
    ...{ isOptional: true, mayBeMissing: true },
  },
]

/** What a replica needs on its master. */
export const REPLICA_RIGHTS: readonly Right[] = [
  right('ping', 'PING', 'no replication', 'send'),
  right('psync', 'PSYNC ? -1', 'no replication', 'never'),
  right('replconf', 'REPLCONF capa eof', 'no replication', 'never'),
]

function right(name: string, text: string, purpose: string, probe: Right['probe']): Right {
  return { words: text.split(' '), name, purpose, probe }
}

/** One connection that has logged in. */
export type Call = (...words: readonly string[]) => Promise<ReplyValue>

export interface Probing {
  readonly user: string
  /** New names of commands on the server, by their usual ones in lower case. */
  readonly renamed: ReadonlyMap<string, string>
  /** A connection for questions. */
  readonly call: Call
  /** Another one, which is closed when this is over: it may be left in a MULTI or subscribed. */
  readonly separate: () => Promise<Call>
}

/** Never rejects for a refusal; rejects if the connection breaks. */
export async function testRights(
  rights: readonly Right[],
  probing: Probing,
): Promise<readonly RightTest[]> {
  const dry = await dryRuns(rights, probing)
  return dry ?? (await probes(rights, probing))
}

/** Undefined: this server has no ACL DRYRUN, or does not let this user ask. */
export async function dryRuns(
  rights: readonly Right[],
  { call, user, renamed }: Pick<Probing, 'call' | 'user' | 'renamed'>,
): Promise<readonly RightTest[] | undefined> {
  const tests: RightTest[] = []
  for (const right of rights) {
    const answer = await answerOf(call('ACL', 'DRYRUN', user, ...sentWords(right, renamed)))
    const text = answer instanceof Error ? answer.message : String(answer)
    if (answer instanceof Error && !/^ERR Command '.*' not found/.test(text)) return undefined
    tests.push(outcomeOf(right, text, answer === 'OK'))
  }
  return tests
}

async function probes(rights: readonly Right[], probing: Probing): Promise<readonly RightTest[]> {
  const sent = await sendEach(rights, probing)
  const queued = await queueEach(rights, probing, sent)
  return rights.map((right) => {
    return sent.get(right) ?? queued.get(right) ?? { right, outcome: 'untested', rule: '' }
  })
}

async function sendEach(
  rights: readonly Right[],
  { separate, renamed }: Probing,
): Promise<Map<Right, RightTest>> {
  const tests = new Map<Right, RightTest>()
  // SUBSCRIBE comes last: a subscriber may say little else. MULTI has a connection of its own.
  const plain = rights.filter(({ probe, name }) => probe === 'send' && name !== 'multi')
  const inOrder = plain.toSorted((a, b) => Number(isSubscribe(a)) - Number(isSubscribe(b)))
  const call = await separate()
  for (const right of inOrder) {
    tests.set(right, toTest(right, await answerOf(call(...sentWords(right, renamed)))))
  }
  return tests
}

function isSubscribe({ name }: Right): boolean {
  return name === 'subscribe'
}

/** Nothing is sent after a MULTI that was not accepted, and no EXEC ever. */
async function queueEach(
  rights: readonly Right[],
  { separate, renamed }: Probing,
  sent: Map<Right, RightTest>,
): Promise<Map<Right, RightTest>> {
  const tests = new Map<Right, RightTest>()
  const multi = rights.find(({ name }) => name === 'multi')
  if (multi === undefined) return tests
  const call = await separate()
  const begun = await answerOf(call(...sentWords(multi, renamed)))
  sent.set(multi, toTest(multi, begun))
  if (begun !== 'OK') return tests
  for (const right of rights.filter(({ probe }) => probe === 'queue')) {
    const answer = await answerOf(call(...sentWords(right, renamed)))
    tests.set(right, toTest(right, answer))
    // Not queued and not refused: the server does not do what we rely on.
    if (answer !== 'QUEUED' && !(answer instanceof Error)) break
  }
  return tests
}

/** A refusal is an answer; a broken connection is not. */
async function answerOf(answer: Promise<ReplyValue>): Promise<ReplyValue> {
  try {
    return await answer
  } catch (error) {
    const text = reasonOf(error)
    if (/^[A-Z]+ /.test(text)) return new Error(text)
    throw error
  }
}

function toTest(right: Right, answer: ReplyValue): RightTest {
  const text = answer instanceof Error ? answer.message : ''
  const isRefused = /^NOPERM/.test(text) || /unknown (sub)?command/i.test(text)
  return outcomeOf(right, text, !isRefused)
}

export function outcomeOf(right: Right, text: string, isAllowed: boolean): RightTest {
  if (isAllowed) return { right, outcome: 'allowed', rule: '' }
  if (/not found|unknown (sub)?command/i.test(text)) return { right, outcome: 'unknown', rule: '' }
  const rule = /channel/.test(text) ? `&${HELLO}` : `+${right.name}`
  return { right, outcome: 'denied', rule }
}

function sentWords({ words }: Right, renamed: ReadonlyMap<string, string>): readonly string[] {
  const [name = '', ...args] = words
  return [renamed.get(name.toLowerCase()) ?? name, ...args]
}
