/** The options and the help of `vedette proxy`. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { parseLag } from '../../http/probe.ts'
import { TIMING_ROWS } from '../../proxy/proxy-options.ts'
import { accessOptions } from '../access-options.ts'
import { collect, duration, port } from '../options.ts'

const PROXY_HELP = `
For clients that do not know Sentinels: they connect to the port and reach the master that more than half of
the Sentinels have named within the lease. While the master changes, commands wait. A command that the lost
master had not answered gets the error UNANSWERED, and one that could not be sent gets NOMASTER. The proxy
never sends a write twice.
FILE is a sentinel.yml with a section proxy:, which has these options and more, so that none are taken beside
it. SIGHUP reads it again without cutting a connection. After SIGTERM, clients can finish what they have begun.
docs/proxy.md says more.

Example:
  vedette proxy --sentinel 10.0.0.1:26379 --sentinel 10.0.0.2:26379 --sentinel 10.0.0.3:26379 \\
    --group mymaster --port 6400 --read-port 6401
  redis-cli -p 6400 PROXY INFO

Exit status: 0 you stopped it, 1 it could not start, 2 an option or the configuration is wrong.`

export function addProxy(program: Command): void {
  const proxy = program.command('proxy').argument('[file]', 'a sentinel.yml')
  const command = accessOptions(proxy, 'a Sentinel to ask; name at least three')
    .description('run a proxy: one address that always leads to the master')
    .option('--group <name>', 'a group to serve; may be repeated', collect)
    .addOption(new Option('--port <p>', 'the port for writes; one for each group').argParser(ports))
    .addOption(
      new Option(
        '--read-port <p>',
        'the port for reads, which go to replicas if possible',
      ).argParser(ports),
    )
    .option('--socket <path>', 'a Unix socket for writes; one for each group', collect)
    .option(
      '--bind <address>',
      'the address to listen on; may be repeated (default: 127.0.0.1)',
      collect,
    )
    .option('--tls-clients', 'serve clients over TLS, with --cert and --key')
    .option('--proxy-protocol', 'clients come through a load balancer that sends PROXY headers')
    .addOption(
      new Option(
        '--send-proxy <version>',
        'send PROXY headers with the client address to nodes',
      ).choices(['no', 'v1', 'v2']),
    )
    .addOption(
      new Option(
        '--max-clients <n>',
        'the most clients at the same time (default: 10000)',
      ).argParser(clients),
    )
    .addOption(
      new Option(
        '--http-port <p>',
        'the port that serves /health, /readiness and /metrics',
      ).argParser(port),
    )
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
  throw new InvalidArgumentError('expected a size, such as 1048576 or 64mb')
}

function clients(text: string): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= 1 && value <= 1_000_000) return value
  throw new InvalidArgumentError('expected a whole number from 1 to 1000000')
}
