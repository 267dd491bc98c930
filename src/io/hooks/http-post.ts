/**
 * One POST to a server of which nothing good is assumed: it may be silent, slow, close, send without end, or
 * send us elsewhere. Everything is bounded by one deadline and one size, and redirects are not
 * followed: a secret or a signature must not travel to an address that was not configured.
 */
import { type Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { request as requestTls } from 'node:https'
import { reasonOf } from '../start-error.ts'

export interface HttpPost {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly timeoutMs: number
  /** Without it each POST has a connection of its own. */
  readonly agent?: Agent
  /** Otherwise the answer is complete with its status. */
  readonly wantsBody: boolean
}

export type HttpOutcome =
  | {
      readonly kind: 'answered'
      readonly status: number
      readonly body: string
      /** The header Retry-After, if it gives seconds. */
      readonly retryAfterMs: number | undefined
      /** Where a redirect points to. */
      readonly location: string
    }
  | { readonly kind: 'failed'; readonly reason: string }

/** No receiver has more to say. */
const MAX_BODY_BYTES = 16 * 1024

export function httpPost(post: HttpPost): Promise<HttpOutcome> {
  return new Promise((resolve) => {
    const outgoing = openRequest(post)
    const late = `no answer within ${post.timeoutMs} ms`
    const timer = setTimeout(() => outgoing.destroy(new Error(late)), post.timeoutMs)
    const settle = (outcome: HttpOutcome) => {
      clearTimeout(timer)
      resolve(outcome)
    }
    const fail = (error: unknown) => settle({ kind: 'failed', reason: reasonIn(error) })
    outgoing.on('error', fail)
    outgoing.on('response', (response) => {
      response.on('error', fail)
      if (post.wantsBody) readBody(response, settle)
      else {
        settle(answered(response, ''))
        discard(response, post.timeoutMs)
      }
    })
    outgoing.end(post.body)
  })
}

/** What Node's parser finds wrong has only a code. Mostly the receiver speaks TLS, and answers with an alert. */
function reasonIn(error: unknown): string {
  const reason = reasonOf(error)
  if (!reason.startsWith('HPE_')) return reason
  return `it does not answer in HTTP (${reason}); if it speaks TLS, its URL begins with https`
}

function openRequest({ url, headers, body, agent }: HttpPost): ClientRequest {
  const open = url.toLowerCase().startsWith('https:') ? requestTls : request
  const length = { 'content-length': String(Buffer.byteLength(body)) }
  return open(url, { method: 'POST', agent: agent ?? false, headers: { ...headers, ...length } })
}

function answered(response: IncomingMessage, body: string): HttpOutcome {
  const { statusCode = 0, headers } = response
  const seconds = Number(headers['retry-after'] ?? Number.NaN)
  const retryAfterMs = seconds >= 0 ? seconds * 1_000 : undefined
  return {
    kind: 'answered',
    ...{ status: statusCode, body, retryAfterMs, location: headers.location ?? '' },
  }
}

function readBody(response: IncomingMessage, settle: (outcome: HttpOutcome) => void): void {
  const chunks: Buffer[] = []
  let bytes = 0
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= MAX_BODY_BYTES) return void chunks.push(chunk)
    settle({ kind: 'failed', reason: `it answers more than ${MAX_BODY_BYTES} bytes` })
    response.destroy()
  })
  response.on('end', () => settle(answered(response, Buffer.concat(chunks).toString('utf8'))))
  response.on('aborted', () => settle({ kind: 'failed', reason: 'its answer is cut off' }))
}

/** A short body is read, so that the connection can be used again. Any other ends the connection. */
function discard(response: IncomingMessage, timeoutMs: number): void {
  const length = Number(response.headers['content-length'] ?? Number.NaN)
  if (!(length <= MAX_BODY_BYTES)) return void response.destroy()
  response.setTimeout(timeoutMs, () => response.destroy())
  response.resume()
}
