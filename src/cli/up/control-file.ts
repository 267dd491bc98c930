/**
 * How `vedette up kill` finds the cluster of a `vedette up` that runs: by a file in the folder for temporary files,
 * which names the port of its remote control and a secret. The file is the user's alone; whoever cannot read it is
 * refused, for loopback ports are open to all users of a machine.
 */
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { StartError } from '../../io/start-error.ts'

export interface ControlAddress {
  readonly port: number
  readonly secret: string
}

/** By the port of its first node. */
export function controlPath(firstPort: number): string {
  return join(tmpdir(), `vedette-up-${firstPort}-control.json`)
}

const NAME = /^vedette-up-(\d+)-control\.json$/

export function newSecret(): string {
  return randomBytes(16).toString('hex')
}

export function writeControl(path: string, address: ControlAddress): void {
  // What an earlier cluster on these ports has left, since it was killed.
  rmSync(path, { force: true })
  writeFileSync(path, JSON.stringify(address), { mode: 0o600, flag: 'wx' })
}

/** The cluster at these ports, or the only one. Throws a StartError if there is none, or more than one. */
export function findControl(firstPort: number | undefined): ControlAddress {
  const ports = firstPort === undefined ? knownPorts() : [firstPort]
  const [port, ...others] = ports
  if (port === undefined) {
    throw new StartError('E_CONTROL', 'no vedette up is running here', 'start one: vedette up')
  }
  if (others.length > 0) {
    const hint = `say which: --cluster ${ports.join(', --cluster ')}`
    throw new StartError('E_CONTROL', `there are ${ports.length} clusters`, hint)
  }
  return readControl(port)
}

function knownPorts(): number[] {
  return readdirSync(tmpdir()).flatMap((name) => {
    const [, port] = NAME.exec(name) ?? []
    return port !== undefined && isOwn(join(tmpdir(), name)) ? [Number(port)] : []
  })
}

function readControl(port: number): ControlAddress {
  const path = controlPath(port)
  const hint = 'vedette up --port P is called --cluster P here'
  if (!isOwn(path))
    throw new StartError('E_CONTROL', `no vedette up of yours has port ${port}`, hint)
  return JSON.parse(readFileSync(path, 'utf8')) as ControlAddress
}

/** Another user may have put a file there, to hear what we would say. */
function isOwn(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  return found !== undefined && (process.platform === 'win32' || found.uid === userInfo().uid)
}
