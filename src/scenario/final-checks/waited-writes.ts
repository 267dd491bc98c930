/**
 * WAIT and WAITAOF promise no more than there is: a replica that has a write was there after the write was
 * sent, and could be heard before the answer came. It counts once, however many connections it has. What is
 * judged is the last write before the question, on its connection, that certainly changed something: a
 * question after a read may be answered with what replicas said long ago.
 *
 * A replica that named another one's address, or had a new address, is not known by name: the check is silent
 * then.
 */
import { isToldError, type Told } from '../../history/data/told.ts'
import { BESIDE, type Question } from '../../history/writes.ts'
import type { Violation } from '../result.ts'
import { Contacts } from './contacts.ts'
import type { FinishedRun } from './finished-run.ts'

/** Commands that change something whatever was there before, unless they are refused. */
const CERTAIN = new Set(['GETSET', 'INCR', 'LPUSH', 'MSET', 'RPUSH', 'XADD'])

interface Promised {
  readonly question: Question
  readonly answeredAtMs: number
  /** How many replicas have it. */
  readonly count: number
  /** When the write before it was sent. */
  readonly writtenAtMs: number
}

export function overstatedWaits(run: FinishedRun): readonly Violation[] {
  const { topology, history } = run
  if (history.happenings.some(isReaddressing)) return []
  const nodes = new Set(topology.nodes.map(({ name }) => name))
  const contacts = new Map<string, Contacts>()
  return promisesIn(history.questions).flatMap((promised) => {
    const { node } = promised.question
    if (!nodes.has(node)) return []
    const known = contacts.get(node) ?? new Contacts(node, run)
    contacts.set(node, known)
    return judge(promised, known)
  })
}

function isReaddressing(happening: FinishedRun['history']['happenings'][number]): boolean {
  return happening.kind === 'fault' && happening.action?.kind === 'readdress'
}

function judge(promised: Promised, contacts: Contacts): Violation[] {
  const { question, answeredAtMs, count, writtenAtMs } = promised
  const there = contacts.between(writtenAtMs, answeredAtMs)
  if (count <= there.length) return []
  const [name = ''] = question.request.commands[0] ?? []
  const names = there.length === 0 ? 'none' : there.join(', ')
  const text = `${question.node} answered ${name} with ${count} replicas, and could have heard from ${names} since the write was sent at ${writtenAtMs} ms`
  return [{ atMs: answeredAtMs, checker: 'WAIT promises no more than there is', text }]
}

/** Connection by connection: answers to questions that came after a certain write. */
function promisesIn(questions: readonly Question[]): readonly Promised[] {
  const written = new Map<string, number>()
  return questions.flatMap((question) => {
    const { client, connection, attemptedAtMs, answer } = question
    if (connection === BESIDE) return []
    const lane = `${client} ${connection}`
    if (isCertainWrite(question)) written.set(lane, attemptedAtMs)
    const count = countIn(question)
    const writtenAtMs = written.get(lane)
    if (count === undefined || answer === undefined || writtenAtMs === undefined) return []
    return [{ question, answeredAtMs: answer.atMs, count, writtenAtMs }]
  })
}

function isCertainWrite({ request, answer }: Question): boolean {
  const [[name = '', ...args] = []] = request.commands
  if (request.form !== 'command' || answer === undefined || isToldError(answer.told)) return false
  return CERTAIN.has(name) || (name === 'SET' && args.length === 2)
}

/** How many replicas the answer speaks of; undefined: it is no answer to WAIT or WAITAOF. */
function countIn({ request, answer }: Question): number | undefined {
  const [[name = ''] = []] = request.commands
  if (request.form !== 'command' || answer === undefined) return undefined
  const { told } = answer
  const count: Told | undefined =
    name === 'WAIT' ? told : name === 'WAITAOF' && Array.isArray(told) ? told[1] : undefined
  return typeof count === 'number' ? count : undefined
}
