/**
 * How far each replica is behind its master, out of what a Sentinel remembers of the master's INFO
 * [SENTINEL INFO-CACHE]. Master and replicas stand in one INFO, so their offsets are of one moment: those
 * that Sentinels collect from the nodes one by one are up to ten seconds apart, and their difference says
 * nothing.
 */
import type { ReplyValue } from './asking.ts'
import { hostAndPort, type MasterStream, type ReplicaAck } from './view.ts'

/** Undefined if the Sentinel has no INFO of a master, or may not tell. */
export function readStream(answer: ReplyValue): MasterStream | undefined {
  const [, instances] = listOf(answer)
  // The master comes first, in C Sentinel as well.
  const [age, info] = listOf(listOf(instances)[0] ?? null)
  if (typeof age !== 'number' || typeof info !== 'string') return undefined
  const lines = info.split('\r\n')
  const offset = countIn(/^master_repl_offset:(\d{1,15})$/, lines)
  if (!lines.includes('role:master') || offset === undefined) return undefined
  return { ageMs: age, offset, replicas: new Map(lines.flatMap((line) => ackIn(line, offset))) }
}

/** `slave0:ip=10.0.0.2,port=6379,state=online,offset=1234,lag=0`. */
function ackIn(line: string, written: number): readonly (readonly [string, ReplicaAck])[] {
  if (!/^slave\d+:/.test(line)) return []
  const fields = line.slice(line.indexOf(':') + 1).split(',')
  const [, host] = /^ip=([\w.:-]{1,255})$/.exec(fields[0] ?? '') ?? []
  const port = countIn(/^port=(\d{1,5})$/, fields)
  const offset = countIn(/^offset=(\d{1,15})$/, fields)
  // Before its copy is complete, a replica acknowledges nothing.
  if (host === undefined || port === undefined || offset === undefined) return []
  if (!fields.includes('state=online')) return []
  const ackSeconds = countIn(/^lag=(\d{1,15})$/, fields)
  const lagBytes = Math.max(0, written - offset)
  return [[hostAndPort(host, String(port)), { offset, lagBytes, ackSeconds }]]
}

function countIn(pattern: RegExp, lines: readonly string[]): number | undefined {
  for (const line of lines) {
    const [, digits] = pattern.exec(line) ?? []
    if (digits !== undefined) return Number(digits)
  }
  return undefined
}

function listOf(answer: ReplyValue | undefined): readonly ReplyValue[] {
  return Array.isArray(answer) ? answer : []
}
