import { assert } from '../../base/assert.ts'
import type { Address } from '../../base/ip.ts'

/** Where processes listen, and which process listens or once listened at an address. */
export class AddressBook {
  readonly #addresses = new Map<string, Address>()
  /** Includes earlier addresses: they still mean the same process. */
  readonly #names = new Map<string, string>()

  /** Gives the process its first address, or another one. */
  set(process: string, address: Address): void {
    this.#addresses.set(process, address)
    this.#names.set(textOf(address), process)
  }

  /** The host may also be called by its name, of which a Sentinel need not know the address. */
  alias(process: string, address: Address): void {
    this.#names.set(textOf(address), process)
  }

  /** The present address of a process. */
  of(process: string): Address {
    const address = this.#addresses.get(process)
    assert(address !== undefined, `${process} is a process with an address`)
    return address
  }

  has(process: string): boolean {
    return this.#addresses.has(process)
  }

  /** The name of the process at an address, or the address itself if it is none of ours. */
  nameOf(address: Address): string {
    const text = textOf(address)
    return this.#names.get(text) ?? text
  }
}

function textOf({ host, port }: Address): string {
  return `${host}:${port}`
}
