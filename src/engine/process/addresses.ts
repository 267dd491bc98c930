/** The address of each node and Sentinel, and which process was ever at an address. */
import { assert } from '../../base/assert.ts'
import type { Address } from '../../base/ip.ts'
import type { Topology } from '../../history/topology.ts'

export class Addresses {
  readonly #topology: Topology
  readonly #addresses = new Map<string, Address>()
  /** Addresses that were given up keep their meaning: no other host gets them. */
  readonly #names = new Map<string, string>()

  constructor(topology: Topology, ipOf: (host: string) => string) {
    this.#topology = topology
    const hosts = new Set(this.#all.map(({ host }) => host))
    for (const host of hosts) this.moved(host, ipOf(host))
  }

  has(process: string): boolean {
    return this.#addresses.has(process)
  }

  of(process: string): Address {
    const address = this.#addresses.get(process)
    assert(address !== undefined, `${process} is a process with an address`)
    return address
  }

  /** The name of the process at an address, or the address itself. */
  nameOf({ host, port }: Address): string {
    return this.nameAt(`${host}:${port}`)
  }

  /** The same for `host:port`. */
  nameAt(text: string): string {
    return this.#names.get(text) ?? text
  }

  /** Notes that the host has this address now. */
  moved(host: string, ip: string): void {
    for (const { name, port } of this.#all.filter((spec) => spec.host === host)) {
      this.#addresses.set(name, { host: ip, port })
      this.#names.set(`${ip}:${port}`, name)
    }
  }

  get #all(): readonly { readonly name: string; readonly host: string; readonly port: number }[] {
    return [...this.#topology.nodes, ...this.#topology.sentinels]
  }
}
