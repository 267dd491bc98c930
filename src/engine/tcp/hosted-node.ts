import type { Socket } from 'node:net'
import { bareLogger } from '../../io/log/bare-logger.ts'
import { NodeHost } from '../../io/node-host.ts'
import { DataNode } from '../../server/node.ts'
import type { FileAnswer, FileRequest } from '../../server/persistence/files.ts'
import type { NodePort } from '../../server/port.ts'
import {
  askFile,
  type NodeProgramStart,
  readSettings,
  saveSettings,
} from '../../sim/processes/node-program.ts'
import type { Process, Program } from '../../sim/processes/process.ts'
import type { ProxyNetwork } from './proxy-network.ts'

/** A data node on real sockets: the host of production, in the surroundings of a world. */
export function hostNode(fabric: ProxyNetwork, start: NodeProgramStart): Program {
  const { process, rng, port, log } = start
  const settings = readSettings(start)
  const witness = () => start.tellMaster(settings.text('replicaof'))
  const surroundings = fabric.surroundings(process, witness)
  const now = process.now()
  const host = new NodeHost({
    createNode: (nodePort: NodePort) =>
      new DataNode({ settings, port: nodePort, rng, now, hasConfigFile: true }),
    logger: bareLogger(log),
    saveSettings: (changed) => saveSettings(process, changed),
    onExit: () => surroundings.admit(() => process.exit()),
    files: {
      ask: (request) => answerOf(process, request),
      appendNow: (path, bytes) => process.disk.data.appendNow(path, bytes),
    },
    surroundings,
  })
  fabric.serve(process, port, (socket: Socket) => host.accept(socket))
  process.atEnd(() => host.abandon())
  witness()
  return drivenByItself(() => host.stop())
}

/** The program of a process whose host has timers of its own. */
export function drivenByItself(stopRequested: () => void): Program {
  return { wake: () => undefined, nextWakeUpMs: () => undefined, stopRequested }
}

/** Never settles if the process dies first. */
function answerOf(process: Process, request: FileRequest): Promise<FileAnswer> {
  return new Promise((resolve) => {
    const atOnce = askFile(process, request, resolve)
    if (atOnce !== undefined) resolve(atOnce)
  })
}
