/** A data node without a world around it: it is told commands, and what it answers is collected. */
import { createRng } from '../../base/rng.ts'
import { DataNode } from '../../server/node.ts'
import { type NodePort, SIMULATED_PROCESS } from '../../server/port.ts'
import { Settings } from '../../server/settings/settings.ts'
import { DataFiles } from '../../sim/processes/data-files.ts'
import { replySlices } from './reply-slices.ts'
import { pipelineOf, type Transcript } from './transcript.ts'

const CLIENT = 1
const ENDS = {
  remoteHost: '127.0.0.1',
  remotePort: 50_000,
  localHost: '127.0.0.1',
  localPort: 6379,
}
/** As the redis-server was started. */
const DIRECTIVES = { save: '', 'enable-debug-command': 'yes', 'protected-mode': 'no' }
/** A command that blocks gives up sooner than that. */
const PATIENCE_MS = 2_000

/** Everything a new node answers to the commands, reply by reply. */
export function talkToNode(transcript: Transcript): readonly string[] {
  const { atMs, replies } = transcript
  let answer = ''
  let now = { monoMs: 0, wallMs: atMs }
  const settings = new Settings()
  for (const [name, value] of Object.entries(DIRECTIVES)) settings.load(name, [value])
  const port = silentPort((bytes) => {
    answer += bytes
  })
  const node = new DataNode({ settings, port, rng: createRng('talk'), now, hasConfigFile: false })
  node.accepted(now, CLIENT, ENDS)
  node.received(now, CLIENT, pipelineOf(transcript))
  while (now.monoMs < PATIENCE_MS && replySlices(answer).length < replies.length) {
    const monoMs = Math.max(now.monoMs, node.nextWakeUpMs() ?? PATIENCE_MS)
    now = { monoMs, wallMs: atMs + monoMs }
    node.wake(now)
  }
  return replySlices(answer)
}

function silentPort(write: (bytes: string) => void): NodePort {
  const files = new DataFiles()
  return {
    write: (connection, bytes) => {
      if (connection === CLIENT) write(bytes)
    },
    queuedBytes: () => 0,
    close: () => undefined,
    connect: () => undefined,
    saveSettings: () => undefined,
    askFile: (_id, request) => files.ask(request),
    appendNow: (path, bytes) => files.appendNow(path, bytes),
    ready: () => undefined,
    processFacts: () => SIMULATED_PROCESS,
    log: () => undefined,
    exit: () => undefined,
  }
}
