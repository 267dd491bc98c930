import { Command } from 'ioredis'
import type { Purpose } from '../core/purpose.ts'
import { encodeCommand } from '../resp/encode.ts'

/**
 * A command as ioredis takes it: it goes out word for word, under whatever name the instance has it
 * [rename-command]. ioredis goes by names; so it is told the one that makes it do what we mean, which is
 * to note a subscription, or else to hand on the reply and nothing more.
 */
export function pipedCommand(purpose: Purpose, argv: readonly string[]): Command {
  const [, ...words] = argv
  const args = words.map((word) => Buffer.from(word, 'latin1'))
  const name = purpose.kind === 'subscribe' ? 'subscribe' : 'echo'
  const command = new Command(name, args, { replyEncoding: null })
  command.toWritable = () => Buffer.from(encodeCommand(argv), 'latin1')
  return command
}
