import { describeSetting } from '../../bench/support/machine.mjs'
import { findPrograms, versionOf } from '../../bench/support/programs.mjs'

/** Where it was measured, and with which programs. */
export function describeMachine() {
  const { versions } = findPrograms(['redis-server', 'redis-sentinel'])
  const nftables = versionOf('nft')
  return describeSetting(nftables === undefined ? versions : { ...versions, nftables })
}
