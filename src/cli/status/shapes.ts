/**
 * What a Sentinel can answer: each answer has one shape, and each number its bounds. An answer of another
 * shape is that Sentinel's mistake, is reported as such, and nothing else it said is shown: half a lie is
 * no view.
 */
import { MAX_GROUPS } from '../../core/config.ts'
import { GROUP_OPTION_ROWS, isNumeric } from '../../core/group-options.ts'
import { printable, type ReplyValue } from './asking.ts'
import type { InstanceFields } from './view.ts'

/** Per group: C Sentinel has no limit, ours knows a thousand of each. */
const MAX_INSTANCES = 10_000
const MAX_FIELDS = 200

export function readMasters(answer: ReplyValue): readonly InstanceFields[] {
  const masters = readInstances('SENTINEL MASTERS', answer, MAX_GROUPS)
  for (const { name, quorum } of masters) {
    if (name === undefined || name === '') throw wrong('SENTINEL MASTERS', 'a group without a name')
    if (quorum !== undefined) continue
    throw wrong('SENTINEL MASTERS', `no quorum of the group ${name}`)
  }
  return masters
}

/**
 * The names of the same groups in the same order, as the bytes that commands have to name: a name that is no UTF-8, or
 * a very long one, is shown differently.
 */
export function namesAsked(answer: ReplyValue): readonly string[] {
  const masters = Array.isArray(answer) ? (answer as readonly ReplyValue[]) : []
  return masters.map((one) => {
    const words = Array.isArray(one) ? one : []
    const at = words.findIndex((word, index) => index % 2 === 0 && word === 'name')
    return String(words[at + 1] ?? '')
  })
}

/** For SENTINEL REPLICAS and SENTINELS. */
export function readOthers(question: string, answer: ReplyValue): readonly InstanceFields[] {
  return readInstances(question, answer, MAX_INSTANCES)
}

export function readMyid(answer: ReplyValue): string {
  if (typeof answer === 'string' && /^[0-9a-f]{40}$/.test(answer)) return answer
  throw wrong('SENTINEL MYID', shown(answer))
}

export function readText(question: string, answer: ReplyValue): string {
  if (typeof answer === 'string') return answer
  throw wrong(question, shown(answer))
}

/** Undefined if the Sentinel does not know. */
export function readAddress(answer: ReplyValue): readonly [host: string, port: string] | undefined {
  if (answer === null) return undefined
  const [host, port, more] = Array.isArray(answer) ? (answer as readonly ReplyValue[]) : []
  if (typeof host === 'string' && typeof port === 'string' && more === undefined) {
    if (isPort(port)) return [printable(host), port]
  }
  throw wrong('SENTINEL GET-MASTER-ADDR-BY-NAME', shown(answer))
}

/** RESP2 represents a map as a flat list of names and values. */
function readInstances(
  question: string,
  answer: ReplyValue,
  max: number,
): readonly InstanceFields[] {
  if (!Array.isArray(answer)) throw wrong(question, shown(answer))
  if (answer.length > max) throw wrong(question, `${answer.length} of them`)
  return (answer as readonly ReplyValue[]).map((one) => readFields(question, one))
}

function readFields(question: string, answer: ReplyValue): InstanceFields {
  const words: readonly ReplyValue[] = Array.isArray(answer) ? answer : []
  const isMap = words.length > 0 && words.length % 2 === 0 && words.length <= 2 * MAX_FIELDS
  if (!isMap || !words.every((word) => typeof word === 'string')) {
    throw wrong(question, shown(answer))
  }
  const fields: [string, string][] = []
  for (let at = 0; at < words.length; at += 2) {
    const [name, value] = [printable(String(words[at])), printable(String(words[at + 1]))]
    const isSound = BOUNDS[name]
    if (isSound !== undefined && !isSound(value)) throw wrong(question, `${name} '${value}'`)
    fields.push([name, value])
  }
  return Object.fromEntries(fields)
}

/** The numbers that are shown, or that judgements depend on. */
const BOUNDS: Readonly<Record<string, (value: string) => boolean>> = {
  ...Object.fromEntries(
    GROUP_OPTION_ROWS.filter(([, row]) => isNumeric(row) && row.shown !== 'no').map(
      ([, { name }]) => [name, isNumber],
    ),
  ),
  quorum: (value) => isNumber(value) && Number(value) >= 1,
  port: isPort,
  'config-epoch': isNumber,
  'pause-left-ms': isNumber,
  'pause-number': isNumber,
  'pause-held-by': isNumber,
  'num-slaves': isNumber,
  'num-other-sentinels': isNumber,
  'slave-priority': isNumber,
  'slave-repl-offset': isNumber,
}

/** Up to 2^63 - 1, the largest of Redis' own numbers. */
function isNumber(value: string): boolean {
  return /^\d{1,19}$/.test(value) && BigInt(value) < 2n ** 63n
}

function isPort(value: string): boolean {
  return /^\d{1,5}$/.test(value) && Number(value) <= 65_535
}

function wrong(question: string, what: string): Error {
  return new Error(`it answers ${question} with what no Sentinel says: ${what}`)
}

function shown(answer: ReplyValue): string {
  if (answer === null) return 'nothing'
  if (typeof answer === 'string') return `'${printable(answer)}'`
  return Array.isArray(answer) ? `a list of ${answer.length}` : printable(String(answer))
}
