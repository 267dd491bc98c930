/** The words of FAILOVER, read in Redis' order: each is judged when it is met. */
import { parseInt64 } from '../../base/decimal.ts'
import type { Address } from './following/link-phase.ts'

export interface FailoverRequest {
  /** Undefined: any replica. */
  readonly target: Address | undefined
  /** When the time is up it goes on with a target that lacks something. */
  readonly force: boolean
  readonly timeoutMs: number | undefined
}

/** What is wrong with the words: they do not fit, or a number is none, or the timeout is not positive. */
export type FailoverFault = 'syntax' | 'integer' | 'timeout'

export function parseFailover(argv: readonly string[]): FailoverRequest | FailoverFault | 'abort' {
  if (argv.length === 2 && argv[1]?.toLowerCase() === 'abort') return 'abort'
  let request: FailoverRequest = { target: undefined, force: false, timeoutMs: undefined }
  for (let at = 1; at < argv.length; ) {
    const read = readOption(request, argv, at)
    if (typeof read === 'string') return read
    request = read.request
    at += read.words
  }
  return request
}

type Read = { readonly request: FailoverRequest; readonly words: number } | FailoverFault

function readOption(request: FailoverRequest, argv: readonly string[], at: number): Read {
  const [word = '', first, second] = argv.slice(at)
  const option = word.toLowerCase()
  if (option === 'timeout' && first !== undefined && request.timeoutMs === undefined) {
    return readTimeout(request, first)
  }
  if (option === 'to' && first !== undefined && second !== undefined && !request.target) {
    const port = parseInt64(second)
    if (port === undefined) return 'integer'
    return { request: { ...request, target: { host: first, port: Number(port) } }, words: 3 }
  }
  return option === 'force' ? { request: { ...request, force: true }, words: 1 } : 'syntax'
}

function readTimeout(request: FailoverRequest, text: string): Read {
  const timeoutMs = parseInt64(text)
  if (timeoutMs === undefined) return 'integer'
  if (timeoutMs <= 0) return 'timeout'
  return { request: { ...request, timeoutMs: Number(timeoutMs) }, words: 2 }
}
