/** A data node alone: for tests that need a server and no cluster. */
import type { TestServer } from './api.ts'
import { checkDirectives, checkNames, checkText, type DecidedMatters } from './arguments.ts'
import { type ClusterClock, RunningClock } from './cluster-clock.ts'
import type { MemberSurroundings } from './member.ts'
import { HostedNodeMember } from './node-member.ts'
import type { StartServerOptions } from './start-options.ts'
import { Switchboard } from './switchboard.ts'
import { ask } from './wire.ts'

function refuse(): never {
  throw new Error(
    'what is alone has no network of its own: use startCluster, with replicas: 0 if need be',
  )
}

/** A program alone has one way, that to its clients. */
export const ALONE: MemberSurroundings = { note: () => undefined, partition: refuse, slow: refuse }

/** Starts a data node on a free port of 127.0.0.1. Throws an Error for a directive that is wrong. */
export async function startServer(options: StartServerOptions = {}): Promise<TestServer> {
  checkNames('startServer', options, ['password', 'directives'])
  const { password = '', directives = {} } = options
  checkText('password', password)
  checkDirectives('a test', directives, DECIDED)
  const clock = new RunningClock()
  const switchboard = new Switchboard(() => clock)
  try {
    const door = await switchboard.open('server')
    const node = new HostedNodeMember({
      ...{ name: door.name, door, switchboard, clock, group: '', seed: '', replicaOf: undefined },
      directives: password === '' ? directives : { requirepass: password, ...directives },
      cluster: ALONE,
      log: () => undefined,
    })
    node.start()
    return new RunningServer(node, password, { switchboard, clock })
  } catch (error) {
    await switchboard.close()
    clock.stop()
    throw error
  }
}

/** Those that do nothing in a test: it has no process of its own. Which master it follows, a test may say. */
const DECIDED: DecidedMatters = {
  place: 'the server takes a free port of 127.0.0.1, and says which',
  users: 'send it ACL SETUSER',
  process: 'its disk is in memory, and it ends with the test',
  file: 'the server has no file, and all commands under their own names',
}

class RunningServer implements TestServer {
  /** What can be done to it: kill, restart, stop, resume, fill its disk. */
  readonly node: HostedNodeMember
  readonly host: string
  readonly port: number
  readonly #password: string
  readonly #room: { readonly switchboard: Switchboard; readonly clock: ClusterClock }

  constructor(
    node: HostedNodeMember,
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
    const login = { password: this.#password }
    await ask({ member: this.node, login, isCut: false }, 'FLUSHALL')
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
