import type { Socket } from 'node:net'
import { encodeState } from '../../config/state-file.ts'
import type { SavedState } from '../../core/persistence/saved.ts'
import { bareLogger } from '../../io/log/bare-logger.ts'
import { SentinelHost, type SentinelWatch } from '../../io/sentinel-host.ts'
import type { Process, Program } from '../../sim/processes/process.ts'
import {
  readState,
  type SentinelProgramStart,
  STATE_FILE,
} from '../../sim/processes/sentinel-program.ts'
import { drivenByItself } from './hosted-node.ts'
import type { ProxyNetwork } from './proxy-network.ts'

/** A Sentinel on real sockets: the host of production, in the surroundings of a world. */
export function hostSentinel(fabric: ProxyNetwork, start: SentinelProgramStart): Program {
  const { process, config, rng } = start
  const surroundings = fabric.surroundings(process)
  const host = new SentinelHost({
    start: { config, saved: readState(process), rng, now: process.now() },
    save: (state) => save(process, state),
    // The witness hears every line already.
    logger: bareLogger(),
    onExit: () => surroundings.admit(() => process.exit()),
    surroundings,
    watch: whileAlive(process, start.witness),
  })
  fabric.serve(process, config.port, (socket: Socket) => host.accept(socket))
  process.atEnd(() => host.abandon())
  return drivenByItself(() => host.stop())
}

/** Never settles if the process dies first. */
function save(process: Process, state: SavedState): Promise<void> {
  return new Promise((resolve, reject) => {
    process.save(STATE_FILE, encodeState(state), (failure) => {
      if (failure === undefined) resolve()
      else reject(new Error(failure))
    })
  })
}

/** What a batch still holds when its process dies is never done. */
function whileAlive(process: Process, watch: SentinelWatch): SentinelWatch {
  const { life } = process
  const isAlive = () => process.life === life && process.status !== 'down'
  return {
    done: (state, effect) => {
      if (isAlive()) watch.done(state, effect)
    },
    stepped: (state) => {
      if (isAlive()) watch.stepped(state)
    },
  }
}
