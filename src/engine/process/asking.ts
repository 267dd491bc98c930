/** One command to a process, on a connection of its own, from the onlooker's place. */
import type { Reply } from '../../resp/reply.ts'
import { Exchange } from '../../sim/exchange.ts'
import type { Address } from '../../sim/happening.ts'
import type { Shell } from '../../sim/shell.ts'

/** Undefined: no answer came in time. */
export function askOnce(
  shell: Shell,
  address: Address,
  { argv, limitMs }: { readonly argv: readonly string[]; readonly limitMs: number },
): Promise<Reply | undefined> {
  return new Promise((resolve) => {
    const finish = (reply: Reply | undefined): void => {
      clearTimeout(limit)
      exchange.close()
      resolve(reply)
    }
    const exchange = new Exchange(shell, address, limitMs, {
      connected: () => exchange.send(argv),
      replied: finish,
      lost: () => finish(undefined),
    })
    const limit = setTimeout(() => finish(undefined), limitMs)
  })
}
