/**
 * Where a cluster runs: all on this machine's own address, or each process on a host of its own, a
 * network namespace behind a bridge. The benchmark itself is on no host and can reach all of them, cut or
 * not.
 */
import { LOOPBACK } from '../support/host.mjs'
import { importBuilt } from '../support/programs.mjs'
import { guardNetworks } from './network-guard.mjs'

/** Returns `{ hostOf(name), close() }`. */
export function openLoopback() {
  return { hostOf: () => LOOPBACK, close() {} }
}

/** Why this machine cannot have namespaces, in words; undefined if it can. */
export async function networkRefusal() {
  const { probeMachine } = await importBuilt('engine/process/machine.js')
  const { missing } = probeMachine()
  return missing.length === 0 ? undefined : missing.join('; ')
}

/** Returns a function that opens a network for a list of hosts; nothing of it outlives the workshop. */
export async function prepareNetworks(workshop) {
  const { HostNetwork } = await importBuilt('engine/process/network.js')
  const { removeLeftovers } = await importBuilt('engine/process/leftovers.js')
  const { removeOurs } = await importBuilt('engine/process/machine.js')
  removeLeftovers()
  const guard = guardNetworks()
  workshop.atEnd(() => {
    removeOurs()
    guard.close()
  })
  return async (hosts) => placeIn(await HostNetwork.create(hosts), hosts)
}

function placeIn(network, hosts) {
  return {
    hostOf: (name) => ({
      ip: network.ipOf(name),
      commandFor(command, args) {
        const [first, ...rest] = network.commandIn(name, command, args)
        return [first, rest]
      },
    }),
    /** Nothing passes between this host and the others. */
    isolate: (name) => network.setDrops(dropsAround(network, name, hosts)),
    close: () => network.close(),
  }
}

function dropsAround(network, name, hosts) {
  const ip = network.ipOf(name)
  const others = hosts.filter((one) => one !== name).map((one) => network.ipOf(one))
  return others.flatMap((other) => [
    { fromIp: ip, toIp: other, share: 1 },
    { fromIp: other, toIp: ip, share: 1 },
  ])
}
