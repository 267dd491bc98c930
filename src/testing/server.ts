/** A data node alone: for tests that need a server and no cluster. */
import { ClusterClock } from './cluster-clock.ts'
import { NodeMember } from './node-member.ts'
import type { StartClusterOptions } from './options.ts'
import { Switchboard } from './switchboard.ts'
import { ask } from './wire.ts'

export interface StartServerOptions extends Pick<StartClusterOptions, 'password' | 'directives'> {}

/** Starts a data node on a free port of 127.0.0.1. Throws an Error for a directive that is wrong. */
export async function startServer(options: StartServerOptions = {}): Promise<TestServer> {
  const { password = '', directives = {} } = options
  const clock = new ClusterClock()
  const switchboard = new Switchboard()
  try {
    const door = await switchboard.open('server')
    const node = new NodeMember({
      ...{ name: door.name, door, switchboard, clock, group: '', seed: '', replicaOf: undefined },
      directives: password === '' ? directives : { requirepass: password, ...directives },
      ...{ note: () => undefined, log: () => undefined },
    })
    node.start()
    return new TestServer(node, password, { switchboard, clock })
  } catch (error) {
    await switchboard.close()
    clock.stop()
    throw error
  }
}

export class TestServer {
  /** What can be done to it: kill, restart, stop, resume, fill its disk. */
  readonly node: NodeMember
  readonly host: string
  readonly port: number
  readonly #password: string
  readonly #room: { readonly switchboard: Switchboard; readonly clock: ClusterClock }

  constructor(
    node: NodeMember,
    password: string,
    room: { readonly switchboard: Switchboard; readonly clock: ClusterClock },
  ) {
    this.node = node
    this.host = node.host
    this.port = node.port
    this.#password = password
    this.#room = room
  }

  /** Empties all databases. */
  async flush(): Promise<void> {
    const { host, port } = this
    await ask({ host, port, password: this.#password }, 'FLUSHALL')
  }

  async stop(): Promise<void> {
    this.node.halt()
    this.#room.clock.stop()
    await this.#room.switchboard.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }
}
