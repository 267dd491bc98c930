/**
 * Receiving hellos: peers are discovered, epochs spread, and the configuration with the highest config
 * epoch wins, in TILT too. What an honest Sentinel would not say is passed over as a whole.
 */
import { announce, announceText } from './events.ts'
import { discardFailover } from './failover-state.ts'
import { type Hello, parseHello } from './hello-text.ts'
import { meetPeer } from './peers.ts'
import { save } from './save.ts'
import type { Group, Peer, Turn } from './state.ts'
import { currentMaster } from './state.ts'
import { switchMaster } from './switch.ts'

/** Handles one hello, from a subscription or sent straight to us. */
export function receiveHello(turn: Turn, payload: string): void {
  const hello = parseHello(payload)
  if (hello === undefined || hello.runId === turn.state.myid) return
  const group = turn.state.groups.get(hello.group)
  if (group === undefined) return
  const peer = meetPeer(turn, group, hello)
  peer.helloReceivedAtMs = turn.now.monoMs
  peer.helloConfigEpoch = hello.configEpoch
  adoptEpoch(turn, group, hello.currentEpoch)
  if (prevails(group, hello)) adoptConfiguration(turn, group, peer, hello)
}

/**
 * The higher config epoch wins. Elections give each epoch to one leader, but two operators who force
 * failovers on both sides of a partition can take the same one; without a tie-break the group would
 * be split for ever. Epoch 0 is what the files say, and no hello overrules a file.
 */
function prevails(group: Group, hello: Hello): boolean {
  if (hello.configEpoch !== group.configEpoch) return hello.configEpoch > group.configEpoch
  const { host, port } = currentMaster(group)
  const theirs = `${hello.masterHost} ${hello.masterPort}`
  return hello.configEpoch > 0 && theirs < `${host} ${port}`
}

function adoptEpoch(turn: Turn, group: Group, epoch: number): void {
  if (epoch <= turn.state.currentEpoch) return
  turn.state.currentEpoch = epoch
  save(turn)
  announceText(turn, 'warning', '+new-epoch', group, String(epoch))
}

/** A newer failover than any we know of has put this master in place. */
function adoptConfiguration(turn: Turn, group: Group, peer: Peer, hello: Hello): void {
  group.configEpoch = hello.configEpoch
  const { config, master } = group
  const isKnown = config.host === hello.masterHost && config.port === hello.masterPort
  // In a failover of ours we name the promoted replica already: then even the old master is news.
  if (isKnown && currentMaster(group) === master) {
    overrule(turn, group)
    save(turn)
    return
  }
  announce(turn, 'warning', '+config-update-from', peer)
  switchMaster(turn, group, { host: hello.masterHost, port: hello.masterPort })
}

/** A failover of ours that is older, and has promoted nobody yet, would take the epoch back. */
function overrule(turn: Turn, group: Group): void {
  const { failover } = group
  if (failover !== undefined && failover.epoch < group.configEpoch) discardFailover(turn, group)
}
