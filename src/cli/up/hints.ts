import { GROUP } from './config-files.ts'
import { HOST, type Layout } from './layout.ts'

/** How to connect, ready to be copied. */
export function connectionHints({ nodes, sentinels }: Layout): readonly string[] {
  const ports = sentinels.map(({ port }) => port)
  const list = ports.map((port) => `{ host: '${HOST}', port: ${port} }`)
  const direct = `redis-cli -p ${nodes[0]?.port}`
  if (ports.length === 0) return [direct]
  return [
    `redis-cli -p ${ports[0]} sentinel get-master-addr-by-name ${GROUP}`,
    direct,
    `new Redis({ name: '${GROUP}', sentinels: [${list[0]}] })  // ioredis`,
  ]
}
