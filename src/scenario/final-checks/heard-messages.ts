/**
 * What subscribers must be able to count on, whatever happens to the nodes: on one connection no message comes
 * twice, and those that were published over one connection come in their order. At the node where they were published
 * none is left out before one that came. Elsewhere messages may be missing, because a replica that begins anew gets
 * the data and no messages.
 */
import { describeTold } from '../../history/data/told.ts'
import { LISTENING, type Question } from '../../history/writes.ts'
import type { Violation } from '../result.ts'
import type { FinishedRun } from './finished-run.ts'

const CHECKER = 'a message is heard once and in order'

export function misheardMessages({ history }: FinishedRun): readonly Violation[] {
  const published = publishedBy(history.questions)
  return history.questions.flatMap((hearing) => {
    if (hearing.connection !== LISTENING || hearing.answer === undefined) return []
    const finding = findingOf(hearing, published.get(hearing.client) ?? new Map())
    if (finding === undefined) return []
    const text = `${hearing.client}, which listened at ${hearing.node}, ${finding}; it heard ${describeTold(hearing.answer.told)}`
    return [{ atMs: hearing.answer.atMs, checker: CHECKER, text }]
  })
}

/** In the order in which they were asked for, by their text. */
type Published = ReadonlyMap<string, Question>

function publishedBy(questions: readonly Question[]): ReadonlyMap<string, Published> {
  const clients = new Map<string, Map<string, Question>>()
  for (const question of questions) {
    const [name, , text = ''] = question.request.commands[0] ?? []
    if (name !== 'PUBLISH') continue
    const own = clients.get(question.client) ?? new Map<string, Question>()
    clients.set(question.client, own.set(text, question))
  }
  return clients
}

/** What is wrong with what was heard over one connection; undefined: nothing. */
function findingOf(hearing: Question, published: Published): string | undefined {
  const told = hearing.answer?.told
  const heard = Array.isArray(told) ? told.map(String) : []
  if (new Set(heard).size < heard.length) return 'heard a message twice'
  const unknown = heard.find((text) => !published.has(text))
  if (unknown !== undefined) return `heard ${unknown}, which nobody had published`
  const connections = new Set([...published.values()].map(({ connection }) => connection))
  for (const connection of connections) {
    const sent = [...published].filter(([, question]) => question.connection === connection)
    const came = heard.filter((text) => published.get(text)?.connection === connection)
    const inOrder = sent.map(([text]) => text).filter((text) => came.includes(text))
    if (inOrder.some((text, at) => text !== came[at])) return 'heard messages out of order'
    const missed = missedBefore(hearing, sent, came.at(-1))
    if (missed !== undefined) return `did not hear ${missed}, and heard what was published after it`
  }
  return undefined
}

function missedBefore(
  { node, attemptedAtMs, answer }: Question,
  sent: readonly (readonly [text: string, question: Question])[],
  last: string | undefined,
): string | undefined {
  const heard = Array.isArray(answer?.told) ? answer.told : []
  const until = sent.findIndex(([text]) => text === last)
  const missed = sent.slice(0, Math.max(0, until)).find(([text, question]) => {
    const isCertain = typeof question.answer?.told === 'number'
    const isHere = question.node === node && question.attemptedAtMs > attemptedAtMs
    return isCertain && isHere && !heard.includes(text)
  })
  return missed?.[0]
}
