/** The options and the help of `vedette proxy`. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { parseLag } from '../../http/probe.ts'
import { TIMING_ROWS } from '../../proxy/proxy-options.ts'
import { accessOptions } from '../access-options.ts'
import { collect, duration, port } from '../options.ts'

const PROXY_HELP = `
Clients that know no Sentinels connect to the port and always reach the master that more than half of the
Sentinels have named within the lease. While the master changes, commands wait; what the lost master had not
answered gets the error UNANSWERED, and what could never be sent NOMASTER. No write is sent twice.
FILE is a sentinel.yml whose section proxy: says the same and more; SIGHUP reads it again without cutting a
connection. SIGTERM lets clients finish what they have begun. docs/proxy.md has the rest.

Example:
  vedette proxy --sentinel 10.0.0.1:26379 --sentinel 10.0.0.2:26379 --sentinel 10.0.0.3:26379 \\
    --group mymaster --port 6400 --read-port 6401
  redis-cli -p 6400 PROXY INFO

Exit status: 0 stopped on request, 1 could not start, 2 wrong options or configuration.`

export function addProxy(program: Command): void {
  const command = accessOptions(program.command('proxy').argument('[file]', 'a sentinel.yml'))
    .description('a plain address that always leads to the master')
    .option('--group <name>', 'a group; again: others', collect)
    .addOption(
      new Option('--port <p>', 'where its clients write; one for each group').argParser(ports),
    )
    .addOption(
      new Option('--read-port <p>', 'where they read, from replicas if possible').argParser(ports),
    )
    .option('--socket <path>', 'a Unix socket to write at; one for each group', collect)
    .option('--bind <address>', 'where to listen; again: others (default: 127.0.0.1)', collect)
    .option('--tls-clients', 'clients speak TLS, with --cert and --key')
    .option('--proxy-protocol', 'clients come through a balancer that sends PROXY headers')
    .addOption(
      new Option('--send-proxy <version>', 'tell nodes who the client is').choices([
        'no',
        'v1',
        'v2',
      ]),
    )
    .addOption(
      new Option('--max-clients <n>', 'at the same time (default: 10000)').argParser(clients),
    )
    .addOption(new Option('--http-port <p>', '/health, /readiness and /metrics').argParser(port))
    .addHelpText('after', PROXY_HELP)
  for (const [, { word, kind, about, default: value }] of TIMING_ROWS) {
    const isTime = kind === 'duration'
    const text = `${about} (default: ${isTime ? `${value}ms` : `${value / 1024 ** 2}mb`})`
    const name = `--${word} <${isTime ? 'time' : 'size'}>`
    command.addOption(new Option(name, text).argParser(isTime ? duration : size))
  }
  command.action(async (file: string | undefined, options) => {
    const status = await (await import('./proxy.ts')).runProxy(file, options)
    if (status !== undefined) process.exitCode = status
  })
}

function ports(text: string, before: readonly number[] = []): readonly number[] {
  return [...before, port(text)]
}

function size(text: string): number {
  const bytes = parseLag(text)
  if (bytes !== undefined && bytes > 0) return bytes
  throw new InvalidArgumentError('a size is wanted: 1048576, 64mb')
}

function clients(text: string): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= 1 && value <= 1_000_000) return value
  throw new InvalidArgumentError('a whole number from 1 to 1000000 is wanted')
}
