/**
 * The hosts of a world as network namespaces, joined by a bridge in a namespace of its own. Only
 * one of its links is in the machine's own namespace: that of the observer, from which the runner
 * observes the world and which no fault affects. All faults are made at the bridge, so that both
 * ends of a path see nothing but silence.
 */
import { assert } from '../../base/assert.ts'
import { type Drop, renderFirewall } from './firewall.ts'
import { ownedPrefix, removeNamespace } from './leftovers.ts'
import { type QueuedWay, renderQueues } from './queues.ts'
import { runTool, runToolSync } from './tool.ts'

const OBSERVER_BYTE = 254
const MAX_ADDRESSES = OBSERVER_BYTE - 1

interface Host {
  readonly namespace: string
  /** The host's port at the bridge. */
  readonly port: string
  ip: string
}

interface Place {
  readonly prefix: string
  readonly subnet: Subnet
}

let worldsMade = 0

export class HostNetwork {
  readonly #prefix: string
  readonly #subnet: Subnet
  readonly #hosts = new Map<string, Host>()
  /** The queues last set, by port. */
  readonly #queues = new Map<string, string>()
  #addressesGiven = 0

  private constructor({ prefix, subnet }: Place, hosts: readonly string[]) {
    this.#prefix = prefix
    this.#subnet = subnet
    hosts.forEach((name, index) => {
      const namespace = `${prefix}-host-${name}`
      this.#hosts.set(name, { namespace, port: `p${index}`, ip: this.#nextIp() })
    })
  }

  static async create(hosts: readonly string[]): Promise<HostNetwork> {
    const number = worldsMade++
    const subnet = await chooseSubnet(process.pid, number)
    const network = new HostNetwork({ prefix: `${ownedPrefix()}.${number}`, subnet }, hosts)
    try {
      await network.#build()
    } catch (error) {
      network.close()
      throw error
    }
    return network
  }

  ipOf(host: string): string {
    return this.#host(host).ip
  }

  /** The spawned process is the program itself: `ip` replaces itself with it. */
  commandIn(host: string, command: string, argv: readonly string[]): readonly string[] {
    return ['ip', 'netns', 'exec', this.#host(host).namespace, command, ...argv]
  }

  /** Replaces all that is dropped. */
  async setDrops(drops: readonly Drop[]): Promise<void> {
    await this.#inHub('nft', ['-f', '-'], renderFirewall(drops))
  }

  /**
   * Sets how slow the paths to these hosts are. A queue that does not change keeps what waits in
   * it.
   */
  async setQueues(waysTo: ReadonlyMap<string, readonly QueuedWay[]>): Promise<void> {
    const changed: string[] = []
    for (const [host, ways] of waysTo) {
      const { port } = this.#host(host)
      const commands = renderQueues({ port, ways })
      const before = this.#queues.get(port) ?? renderQueues({ port, ways: [] })
      this.#queues.set(port, commands)
      if (commands !== before) changed.push(commands)
    }
    if (changed.length > 0) await this.#inHub('tc', ['-batch', '-'], changed.join(''))
  }

  /** A host whose link is down sends and hears nothing, not even the end of a connection. */
  async setLink(host: string, state: 'up' | 'down'): Promise<void> {
    await runTool('ip', ['-n', this.#hub, 'link', 'set', this.#host(host).port, state])
  }

  /** Gives the host an address that no host has had yet. */
  async readdress(name: string): Promise<string> {
    const host = this.#host(name)
    const before = host.ip
    host.ip = this.#nextIp()
    const change = [`addr del ${before}/24 dev eth0`, `addr add ${host.ip}/24 dev eth0`]
    await runTool('ip', ['-n', host.namespace, '-batch', '-'], `${change.join('\n')}\n`)
    return host.ip
  }

  /**
   * Ends the host's connections with these addresses. Both ends learn of it, if their packets
   * arrive.
   */
  async reset(host: string, peerIps: readonly string[]): Promise<void> {
    if (peerIps.length === 0) return
    const filter = peerIps.flatMap((ip, index) => [...(index === 0 ? [] : ['or']), 'dst', ip])
    const argv = ['netns', 'exec', this.#host(host).namespace, 'ss', '-K', '-t', ...filter]
    await runTool('ip', argv)
  }

  /** Removes everything; processes that still run in it are killed. */
  close(): void {
    for (const { namespace } of this.#hosts.values()) removeNamespace(namespace)
    runToolSync('ip', ['link', 'delete', this.#prefix])
    removeNamespace(this.#hub)
  }

  get #hub(): string {
    return `${this.#prefix}-hub`
  }

  async #build(): Promise<void> {
    const hosts = [...this.#hosts.values()]
    const names = [this.#hub, ...hosts.map(({ namespace }) => namespace)]
    await batch(
      [],
      names.map((name) => `netns add ${name}`),
    )
    await batch(
      [],
      [
        ...hosts.map(({ port, namespace }) => this.#veth(port, `eth0 netns ${namespace}`)),
        this.#veth('observer', this.#prefix),
      ],
    )
    await batch(
      ['-n', this.#hub],
      [
        'link add bridge type bridge',
        ...['observer', ...hosts.map(({ port }) => port)].map(
          (port) => `link set ${port} master bridge up`,
        ),
        'link set bridge up',
      ],
    )
    await Promise.all(hosts.map(({ namespace, ip }) => configure(namespace, ip)))
    await batch(
      [],
      [
        `addr add ${this.#subnet}.${OBSERVER_BYTE}/24 dev ${this.#prefix}`,
        `link set ${this.#prefix} up`,
      ],
    )
  }

  #veth(port: string, peer: string): string {
    return `link add ${port} netns ${this.#hub} type veth peer name ${peer}`
  }

  async #inHub(command: string, argv: readonly string[], input: string): Promise<void> {
    await runTool('ip', ['netns', 'exec', this.#hub, command, ...argv], input)
  }

  #host(name: string): Host {
    const host = this.#hosts.get(name)
    assert(host !== undefined, `${name} is a host of this world`)
    return host
  }

  #nextIp(): string {
    this.#addressesGiven++
    if (this.#addressesGiven > MAX_ADDRESSES) {
      throw new Error(`a world on real processes has room for ${MAX_ADDRESSES} addresses`)
    }
    return `${this.#subnet}.${this.#addressesGiven}`
  }
}

async function configure(namespace: string, ip: string): Promise<void> {
  const lines = ['link set lo up', `addr add ${ip}/24 dev eth0`, 'link set eth0 up']
  await batch(['-n', namespace], lines)
}

async function batch(options: readonly string[], lines: readonly string[]): Promise<void> {
  await runTool('ip', [...options, '-batch', '-'], `${lines.join('\n')}\n`)
}

// Which addresses a world gets: private ones, and none that this machine already has a route to.

/** A network of 254 addresses: `10.208.7`. The last address is the observer's. */
type Subnet = string

const FIRST_SECOND_BYTE = 208
const NETWORKS = 16 * 256
/** Worlds of one runner are far apart, so that they do not meet those of other runners. */
const STRIDE = 611
const TRIES = 64

async function chooseSubnet(pid: number, worldNumber: number): Promise<Subnet> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const subnet = subnetAt((pid + worldNumber * STRIDE + attempt) % NETWORKS)
    if (!(await isInUse(subnet))) return subnet
  }
  throw new Error(
    'all networks from 10.208.0.0 to 10.223.255.0 that were tried have a route on this machine; ' +
      'the process engine needs a free one',
  )
}

function subnetAt(index: number): Subnet {
  return `10.${FIRST_SECOND_BYTE + (index >> 8)}.${index & 255}`
}

async function isInUse(subnet: Subnet): Promise<boolean> {
  const within = await runTool('ip', ['-4', 'route', 'show', 'root', `${subnet}.0/24`])
  const around = await runTool('ip', ['-4', 'route', 'show', 'match', `${subnet}.0/24`])
  const others = around.split('\n').filter((line) => line !== '' && !line.startsWith('default'))
  return within.trim() !== '' || others.length > 0
}
