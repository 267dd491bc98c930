/** `vedette up kill|stop|cut|back|status`: gives an order to the `vedette up` that runs, and tells the answer. */
import { connect } from 'node:net'
import { reasonOf, StartError } from '../../io/start-error.ts'
import { printJson } from '../json-answer.ts'
import { EXIT_FAILED, reportFailure } from '../report.ts'
import type { UpAnswer, UpOrder, UpRequest, UpStatus } from './control.ts'
import { type ControlAddress, findControl } from './control-file.ts'
import { HOST } from './layout.ts'

export interface RemoteOptions {
  /** The port of its first node, if several run. */
  readonly cluster?: number
  readonly json?: true
}

const ANSWER_WITHIN_MS = 5_000

/** Resolves to the exit status: 1 if the order could not be obeyed, or no cluster was found. */
export async function runRemote(
  order: UpOrder | 'status',
  member: number | undefined,
  options: RemoteOptions,
): Promise<number> {
  try {
    const address = findControl(options.cluster)
    const answer = await ask(address, { secret: address.secret, order, member })
    if (options.json) printJson(answer.ok ? answer : { ...answer, error: answer.text })
    else process.stdout.write(textOf(answer))
    return answer.ok ? 0 : EXIT_FAILED
  } catch (error) {
    return reportFailure(error)
  }
}

function ask({ port }: ControlAddress, request: UpRequest): Promise<UpAnswer> {
  return new Promise((resolve, reject) => {
    let text = ''
    const fail = (reason: string) => {
      const hint = 'it may have been killed: start it again, or remove the file it has left'
      reject(new StartError('E_CONTROL', `vedette up does not answer: ${reason}`, hint))
    }
    const socket = connect({ host: HOST, port })
    socket.setTimeout(ANSWER_WITHIN_MS, () => socket.destroy(new Error('no answer in 5 s')))
    socket.on('error', (error) => fail(reasonOf(error)))
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    socket.on('close', () =>
      text === '' ? fail('it closed the connection') : resolve(JSON.parse(text)),
    )
    socket.write(`${JSON.stringify(request)}\n`)
  })
}

function textOf({ text, status }: UpAnswer): string {
  const said = text === '' ? [] : [text]
  return `${[...said, ...(status === undefined ? [] : statusLines(status))].join('\n')}\n`
}

function statusLines({ nodes, sentinels, missing }: UpStatus): string[] {
  return [
    ...nodes.map(({ port, state, role, isInSync }) => {
      const sync = role === 'replica' ? (isInSync ? ', in sync' : ', not in sync') : ''
      return `node ${port} ${state}${role === undefined ? '' : `, ${role}`}${sync}`
    }),
    ...sentinels.map(({ port, state, master }) => {
      return `sentinel ${port} ${state}${master === undefined ? '' : `, master ${master}`}`
    }),
    missing === undefined ? 'all is well' : `missing: ${missing}`,
  ]
}
