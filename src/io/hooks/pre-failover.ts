/**
 * Asks the operator's hook about a failover: a program without a shell, or a service over HTTP. The answer
 * comes within the bound whatever happens; hook-protocol.ts says what it means.
 */
import { spawn } from 'node:child_process'
import { utf8Text } from '../../base/utf8.ts'
import type { Answer, ExternalQuery } from '../../core/external-query.ts'
import { isHookUrl } from '../../core/group-options.ts'
import {
  answerOfExit,
  answerOfResponse,
  failure,
  hookArguments,
  hookDocument,
} from '../../hooks/hook-protocol.ts'
import { programFile, startReason } from '../process/scripts.ts'
import { httpPost } from './http-post.ts'

export type HookQuestion = Extract<ExternalQuery, { readonly kind: 'preFailover' }>

/** A machine with a hundred masters may die at once: so many programs run, and the others wait. */
const MAX_PROGRAMS = 16
const MAX_OUTPUT_CHARS = 4_096

export function askHook(question: HookQuestion): Promise<Answer> {
  return isHookUrl(question.hook) ? askService(question) : askProgram(question)
}

async function askService({ hook, request, timeoutMs }: HookQuestion): Promise<Answer> {
  const outcome = await httpPost({
    url: utf8Text(hook),
    headers: { 'content-type': 'application/json', 'user-agent': 'vedette' },
    body: hookDocument(request, timeoutMs, new Date().toISOString()),
    timeoutMs,
    wantsBody: true,
  })
  if (outcome.kind === 'failed') return failure(outcome.reason)
  return answerOfResponse(outcome.status, outcome.body)
}

let running = 0
const waiting: (() => void)[] = []

/** The time in the queue counts: the bound is the machine's. */
function askProgram(question: HookQuestion): Promise<Answer> {
  const { timeoutMs } = question
  return new Promise((resolve) => {
    let stop = () => remove(start)
    const timer = setTimeout(() => {
      stop()
      resolve(failure(`it did not end within ${timeoutMs} ms`))
    }, timeoutMs)
    const start = () => {
      running++
      stop = runProgram(question, (answer) => {
        clearTimeout(timer)
        running--
        waiting.shift()?.()
        resolve(answer)
      })
    }
    if (running < MAX_PROGRAMS) start()
    else waiting.push(start)
  })
}

function remove(start: () => void): void {
  const at = waiting.indexOf(start)
  if (at >= 0) waiting.splice(at, 1)
}

/** Returns what kills it; `ended` is called once, by then or later. */
function runProgram({ hook, request }: HookQuestion, ended: (answer: Answer) => void): () => void {
  const path = utf8Text(hook)
  try {
    const words = hookArguments(request).map(utf8Text)
    const options = { argv0: path, stdio: ['ignore', 'pipe', 'inherit'] } as const
    const child = spawn(programFile(path), words, { ...options, stdio: [...options.stdio] })
    let output = ''
    child.stdout?.setEncoding('utf8')
    child.stdout?.on('data', (text: string) => {
      output = (output + text).slice(0, MAX_OUTPUT_CHARS)
    })
    child.once('error', (error) =>
      ended(failure(`cannot run ${path}: ${startReason(hook, error)}`)),
    )
    child.once('exit', (status, signal) => {
      // A process that it left in the background may hold the pipe open for ever.
      setImmediate(() => {
        child.stdout?.destroy()
        ended(answerOfExit(status ?? 0, signal, output))
      })
    })
    return () => child.kill('SIGKILL')
  } catch (error) {
    ended(failure(`cannot run ${path}: ${startReason(hook, error)}`))
    return () => undefined
  }
}
