/** The hosts of a world, their present and earlier addresses, and which of them have power. */
import { assert } from '../../base/assert.ts'

export interface Host {
  readonly name: string
  /** The host's present address. */
  readonly ip: string
}

interface Box extends Host {
  ip: string
}

export class Hosts {
  readonly #byName = new Map<string, Box>()
  /** An address is never given to another host, so it identifies its host for ever. */
  readonly #byIp = new Map<string, Box>()
  readonly #off = new Set<Host>()
  readonly #ipOf: (number: number) => string

  /** `ipOf` returns the n-th address, from 1 on. */
  constructor(ipOf: (number: number) => string = privateIp) {
    this.#ipOf = ipOf
  }

  /** Adds a host, or returns the one of that name. */
  named(name: string): Host {
    const known = this.#byName.get(name)
    if (known !== undefined) return known
    const host = { name, ip: this.#nextIp() }
    this.#byName.set(name, host)
    this.#byIp.set(host.ip, host)
    return host
  }

  /** The present address of the host of that name. */
  addressOf(name: string): string | undefined {
    return this.#byName.get(name)?.ip
  }

  /** The host that has this address now. */
  at(ip: string): Host | undefined {
    const host = this.#byIp.get(ip)
    return host?.ip === ip ? host : undefined
  }

  /** The host that has or had this address. */
  everAt(ip: string): Host | undefined {
    return this.#byIp.get(ip)
  }

  /** From now on no process answers at the old address. */
  readdress(host: Host): void {
    const box = this.#byName.get(host.name)
    assert(box !== undefined, `${host.name} is a host`)
    box.ip = this.#nextIp()
    this.#byIp.set(box.ip, box)
  }

  setPower(host: Host, isOn: boolean): void {
    if (isOn) this.#off.delete(host)
    else this.#off.add(host)
  }

  isOn(host: Host): boolean {
    return !this.#off.has(host)
  }

  #nextIp(): string {
    return this.#ipOf(this.#byIp.size + 1)
  }
}

/** From 10.0.0.1 on. */
function privateIp(number: number): string {
  return `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`
}
