/** The end of a process while Node's threads wait for a name server. */
import { expect, test } from 'vitest'
import { run } from '../support/processes.ts'

const IO = new URL('../../dist/io/', import.meta.url)

/** What a program does with `lookups` and `endProcess` of the built code, and a name server that is silent. */
function program(body: string): readonly string[] {
  const script = `
    import dns from 'node:dns/promises'
    import { syncBuiltinESMExports } from 'node:module'
    dns.lookup = () => new Promise(() => undefined)
    syncBuiltinESMExports()
    const { NameLookups } = await import('${IO}network/name-lookups.js')
    const { endProcess } = await import('${IO}process/process-end.js')
    process.on('SIGTERM', () => console.log('told to stop'))
    process.on('exit', (status) => console.log('tidied up', status))
    const lookups = new NameLookups()
    ${body}
  `
  return ['--input-type=module', '-e', script]
}

test('with no name being looked up a process ends with its status', async () => {
  const { status, stdout } = await run(process.execPath, program('endProcess(3)'))
  expect({ status, stdout }).toEqual({ status: 3, stdout: 'tidied up 3\n' })
})

test('a silent name server does not keep a process alive, nor from tidying up', async () => {
  const body = `void lookups.resolve('db-1'); endProcess(3)`
  const { status, stdout } = await run(process.execPath, program(body))
  // Ended by the signal, of which its own handler hears nothing any more.
  expect({ status, stdout }).toEqual({ status: null, stdout: 'tidied up 3\n' })
})
