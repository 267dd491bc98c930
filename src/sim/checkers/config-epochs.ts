import type { Address } from '../happening.ts'
import type { Checker } from './checker.ts'

/** The epoch a Sentinel tells for a group never falls, its restarts included. */
export function configEpochsRise(): Checker {
  const told = new Map<string, number>()
  return {
    name: 'config epochs never fall',
    observe: (happening) => {
      if (happening.kind !== 'hello') return undefined
      const { sentinelId, group, configEpoch } = happening
      const key = `${sentinelId} ${group}`
      const before = told.get(key) ?? 0
      told.set(key, Math.max(before, configEpoch))
      if (configEpoch >= before) return undefined
      return `${sentinelId} tells epoch ${configEpoch} of ${group} after epoch ${before}`
    },
  }
}

/** A config epoch stands for one master: whoever tells it, whenever, tells the same address. */
export function configEpochsNameOneMaster(): Checker {
  const masters = new Map<string, string>()
  return {
    name: 'a config epoch names one master',
    observe: (happening) => {
      if (happening.kind !== 'hello') return undefined
      const { group, configEpoch } = happening
      const key = `${group} ${configEpoch}`
      const address = textOf(happening.master)
      const known = masters.get(key) ?? address
      masters.set(key, known)
      if (known === address) return undefined
      return `epoch ${configEpoch} of ${group} names ${known} and ${address}`
    },
  }
}

function textOf(address: Address): string {
  return `${address.host}:${address.port}`
}
