/**
 * How slow the paths between hosts are, as commands of tc: at the bridge's port of each receiver
 * one class per sender, with its bandwidth (HTB) and its delay (netem). A sender without a class,
 * such as the observer, passes at full speed.
 */
import type { LinkShape } from '../../history/link-shape.ts'

/** What leaves the bridge through this port, towards the one host behind it. */
export interface PortQueues {
  /** The interface. */
  readonly port: string
  readonly ways: readonly QueuedWay[]
}

export interface QueuedWay {
  readonly fromIp: string
  readonly shape: LinkShape
}

const FULL_SPEED = '10gbit'
/**
 * Packets that a slow path holds: enough that the receiver's window ends a burst, not the queue.
 */
const QUEUE_PACKETS = 10_000

/**
 * Commands for `tc -batch -`: they replace the queues of the port, with everything that waited
 * there.
 */
export function renderQueues({ port, ways }: PortQueues): string {
  const slow = ways.filter(({ shape }) => isSlow(shape))
  const clear = `qdisc replace dev ${port} root pfifo_fast`
  if (slow.length === 0) return `${clear}\n`
  const lines = [
    clear,
    `qdisc replace dev ${port} root handle 1: htb default 1`,
    `class add dev ${port} parent 1: classid 1:1 htb rate ${FULL_SPEED} quantum 60000`,
    ...slow.flatMap((way, index) => renderWay(port, way, index + 2)),
  ]
  return `${lines.join('\n')}\n`
}

function renderWay(port: string, { fromIp, shape }: QueuedWay, number: number): string[] {
  const id = number.toString(16)
  const rate =
    shape.bytesPerSecond === undefined ? FULL_SPEED : `${Math.ceil(shape.bytesPerSecond * 8)}bit`
  const delay = renderDelay(shape)
  return [
    `class add dev ${port} parent 1: classid 1:${id} htb rate ${rate} quantum 60000`,
    ...(delay === '' ? [] : [`qdisc add dev ${port} parent 1:${id} netem ${delay}`]),
    `filter add dev ${port} parent 1: protocol ip prio 1 u32 match ip src ${fromIp}/32 flowid 1:${id}`,
  ]
}

/**
 * A jitter of up to J is J / 2 to either side of the middle. The rate keeps packets in their order.
 */
function renderDelay({ latencyMs = 0, jitterMs = 0, duplication = 0 }: LinkShape): string {
  if (latencyMs === 0 && jitterMs === 0 && duplication === 0) return ''
  const middleUs = Math.round((latencyMs + jitterMs / 2) * 1_000)
  const spreadUs = Math.round(jitterMs * 500)
  return [
    `limit ${QUEUE_PACKETS} delay ${middleUs}us`,
    ...(spreadUs === 0 ? [] : [`${spreadUs}us`]),
    ...(duplication === 0 ? [] : [`duplicate ${duplication * 100}%`]),
    `rate ${FULL_SPEED}`,
  ].join(' ')
}

/** Loss is left to the firewall: it needs no queue. */
function isSlow(shape: LinkShape): boolean {
  const { latencyMs = 0, jitterMs = 0, duplication = 0, bytesPerSecond } = shape
  return latencyMs > 0 || jitterMs > 0 || duplication > 0 || bytesPerSecond !== undefined
}
