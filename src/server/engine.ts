/**
 * The way of a command through the node, put together:
 *
 *     bytes → requests (sessions/request-loop.ts) → dispatcher (dispatch.ts, gate.ts) → execution → reply
 *     the master's stream, a file → replay → execution
 *     a key with something for those who wait → ready clients → execution
 */
import type { CommandTable } from './catalogue/command-table.ts'
import type { NodeServices } from './context.ts'
import { Dispatcher } from './dispatch.ts'
import { Execution } from './execution.ts'
import { Replay } from './replay.ts'
import { ReadyClients } from './sessions/ready-clients.ts'
import { RequestLoop } from './sessions/request-loop.ts'

export class Engine {
  readonly execution: Execution
  readonly ready: ReadyClients
  readonly replay: Replay
  readonly requests: RequestLoop

  constructor(node: NodeServices, table: CommandTable) {
    this.execution = new Execution(node, table)
    this.ready = new ReadyClients(node, this.execution, (session) => this.requests.resume(session))
    this.replay = new Replay(node, table, this.execution, this.ready)
    this.requests = new RequestLoop(node, new Dispatcher(node, table, this.execution, this.ready))
  }
}
