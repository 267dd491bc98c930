import type { Address } from '../../base/ip.ts'

export interface MasterEvent {
  readonly group: string
  readonly address: Address
}

/** `master <group> <ip> <port> …`, as the payload of an event about a master begins. */
export function readMasterEvent(payload: string): MasterEvent | undefined {
  const [type, group, host, port] = payload.split(' ')
  if (type !== 'master' || group === undefined || host === undefined) return undefined
  return { group, address: { host, port: Number(port) } }
}
