/** The options of all programs that ask servers: where they are, and how to log in. */
import { type Command, Option } from 'commander'
import { addresses } from './options.ts'

/** Where the Sentinels are, and how to log in. */
export function accessOptions(command: Command, about = ONE_SENTINEL): Command {
  return loginOptions(
    command.addOption(new Option('--sentinel <host:port>', about).argParser(addresses)),
  )
}

const ONE_SENTINEL = 'a Sentinel to ask; may be repeated (default: 127.0.0.1:26379)'

/** How to log in. */
export function loginOptions(command: Command): Command {
  return command
    .option('--user <name>', 'the user to log in as')
    .option('--pass <password>', 'its password; safer in the environment variable REDISCLI_AUTH')
    .option('--tls', 'connect with TLS')
    .option('--cacert <file>', 'the certificate authorities to trust, in PEM')
    .option('--cert <file>', 'the client certificate, in PEM')
    .option('--key <file>', 'the private key of the client certificate')
}

/** Nodes have users of their own; without a login the Sentinels' knowledge has to do. */
export function nodeLoginOptions(command: Command): Command {
  return command
    .option('--node-user <name>', 'the user to log in to the nodes as')
    .option(
      '--node-pass <password>',
      'its password; safer in the environment variable VEDETTE_NODE_PASS',
    )
}
