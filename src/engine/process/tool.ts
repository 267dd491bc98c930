/**
 * Runs the system's programs that build networks, with a time limit, and keeps their error output.
 */
import { type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process'

const LIMIT_MS = 20_000

/** Runs a tool to its end; its error says what was run and what the tool printed. */
export function runTool(command: string, argv: readonly string[], input = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, argv, { stdio: 'pipe', timeout: LIMIT_MS, killSignal: 'SIGKILL' })
    let output = ''
    let complaint = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text
    })
    child.stderr.setEncoding('utf8').on('data', (text) => {
      complaint += text
    })
    child.once('error', reject)
    child.once('close', (status) => {
      if (status === 0) resolve(output)
      else
        reject(new Error(`${command} ${argv.join(' ')}: ${complaint.trim() || `exit ${status}`}`))
    })
    // A tool that ends without reading its input has printed the reason itself.
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
  })
}

/** For what must be known or removed before anything else may continue. */
export function runToolSync(command: string, argv: readonly string[]): SpawnSyncReturns<string> {
  return spawnSync(command, argv, { encoding: 'utf8', input: '', timeout: LIMIT_MS })
}
