/**
 * How a pre-failover hook is asked, and what its answers mean. docs/hooks.md is the contract.
 *
 * A program gets the question as arguments, and answers with its exit status: 0 allows the failover, any
 * other number refuses it. A program that cannot be run, is killed or takes too long says nothing. A
 * service gets the question as JSON in a POST. 2xx allows, unless the body says `"allow": false`; 403 and
 * 409 refuse. Everything else, redirects included, says nothing.
 */
import { jsonIn } from '../base/json.ts'
import { utf8Bytes, utf8Text } from '../base/utf8.ts'
import type { HookRequest } from '../core/election/hook-verdict.ts'
import type { Answer } from '../core/external-query.ts'

/** The question as a service gets it; `time` is ISO 8601. */
export function hookDocument(request: HookRequest, timeoutMs: number, time: string): string {
  const { group, master, epoch, downForMs, quorum, replicas, by } = request
  return JSON.stringify({
    type: 'vedette.pre-failover',
    time,
    group: utf8Text(group),
    ...{ master, replicas, epoch, quorum, downForMs, timeoutMs, by },
  })
}

/** The arguments of a program, behind its path: `<group> <host> <port> <epoch> <down for, ms>`. */
export function hookArguments({ group, master, epoch, downForMs }: HookRequest): readonly string[] {
  return [group, master.host, master.port, epoch, downForMs].map(String)
}

const REFUSED = [403, 409]

export function answerOfResponse(status: number, body: string): Answer {
  if (REFUSED.includes(status)) return refusal(reasonIn(body) || `it answers ${status}`)
  if (status < 200 || status > 299) return failure(`it answers ${status}`)
  const { allow } = Object(jsonIn(body)) as { allow?: unknown }
  if (allow === undefined || allow === true) return ALLOWED
  if (allow === false) return refusal(reasonIn(body))
  return failure('the "allow" of its answer is neither true nor false')
}

/** What a shell reports when it cannot run a program. */
const CANNOT_RUN = [126, 127]

/** `signal` is null for a program that ended by itself; `output` is its standard output. */
export function answerOfExit(status: number, signal: string | null, output: string): Answer {
  if (signal !== null) return failure(`it was ended by ${signal}`)
  if (status === 0) return ALLOWED
  if (CANNOT_RUN.includes(status)) return failure(`it ended with exit status ${status}`)
  return refusal(firstLine(output) || `exit status ${status}`)
}

export function failure(reason: string): Answer {
  return { kind: 'failed', reason: utf8Bytes(reason) }
}

const ALLOWED: Answer = { kind: 'preFailover', allows: true, reason: '' }

function refusal(reason: string): Answer {
  return { kind: 'preFailover', allows: false, reason: utf8Bytes(reason) }
}

/** The `reason` of a JSON body, or the first line of any other. */
function reasonIn(body: string): string {
  const parsed = jsonIn(body)
  if (parsed === undefined) return firstLine(body)
  const { reason } = Object(parsed) as { reason?: unknown }
  return typeof reason === 'string' ? firstLine(reason) : ''
}

function firstLine(text: string): string {
  return text.trim().split(/\r?\n/, 1)[0] ?? ''
}
