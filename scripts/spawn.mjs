import { spawn } from 'node:child_process'
import { ROOT } from './paths.mjs'

/** Runs Node on a script and shows its output as it comes. Resolves to the exit status. */
export function runNode(args, options = {}) {
  return run(process.execPath, args, options)
}

/** Runs a program in the project's folder; `stdio` and `env` as for `spawn`. */
export function run(command, args, { stdio = 'inherit', env = {}, shell = false, onSpawn } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: ROOT,
      stdio,
      shell,
      env: { ...process.env, ...env },
    })
    onSpawn?.(child)
    child.on('error', (error) => {
      console.error(`cannot run ${command}: ${error.message}`)
      resolve(127)
    })
    child.on('close', (status) => resolve(status ?? 1))
  })
}

/** Like `runNode`, but holds the output back: resolves to `{ status, output }`. */
export async function captureNode(args, { env = {}, onSpawn } = {}) {
  const pieces = []
  const status = await runNode(args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    // Keeps colours through the pipe if the output goes to a terminal.
    env: { ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}), ...env },
    onSpawn(child) {
      onSpawn?.(child)
      child.stdout.on('data', (piece) => pieces.push(piece))
      child.stderr.on('data', (piece) => pieces.push(piece))
    },
  })
  return { status, output: Buffer.concat(pieces).toString() }
}
