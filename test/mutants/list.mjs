/**
 * Planted faults: what a slip of the pen, a clever shortcut or a bad merge could make of the machines.
 * Each must be found by the laboratory; one that is not is a defect of its checkers.
 *
 * `edits` change the compiled files under dist. A `find` stands exactly once in its file; the hook
 * refuses to load a file where that is not so, and so the list cannot rot unnoticed. `scenarios` are
 * tried first, for faults that chance would seldom meet. `profile` says what seeds are drawn from.
 */
import { OPERATOR_MUTANTS } from './operators.mjs'
import { SLIPS } from './slips.mjs'
import { STRICT_MUTANTS } from './strict.mjs'

/** Candidates that ask first hardly ever split a vote: faults in voting itself are looked for without that. */
const WITHOUT_ASKING_FIRST = {
  file: 'core/election/pre-vote.js',
  find: "    if (votes >= needed)\n        return 'good';\n",
  replace: "    return 'good';\n",
}

export const MUTANTS = [
  // Votes
  {
    name: 'vote-forgotten-on-restart',
    story: 'A restarted Sentinel does not know whom it voted for.',
    edits: [
      WITHOUT_ASKING_FIRST,
      {
        file: 'core/sentinel.js',
        find: '    group.leaderEpoch = saved.leaderEpoch;\n    group.leader = saved.leader;\n',
        replace: '',
      },
    ],
    scenarios: ['a-voter-dies-in-a-split-election.yml'],
  },
  {
    name: 'vote-not-saved',
    story: 'A vote is told before it is on disk.',
    edits: [
      {
        file: 'core/election/vote.js',
        find: '    if (isNewEpoch || isFree)\n        save(turn);\n',
        replace: '',
      },
    ],
    scenarios: ['a-voter-dies-at-the-moment-of-its-vote.yml'],
  },
  {
    name: 'persist-barrier-skipped',
    story: 'The driver does what stands behind a save without waiting for the disk.',
    edits: [
      {
        file: 'sim/processes/sentinel-program.js',
        find: '            this.#save(state, behind);\n',
        replace: '            { this.#save(state, []); this.#perform(behind); }\n',
      },
    ],
    scenarios: ['a-voter-dies-at-the-moment-of-its-vote.yml'],
  },
  {
    name: 'two-votes-in-an-epoch',
    story: 'Whoever asks last in an epoch gets the vote, too.',
    edits: [
      {
        file: 'core/election/vote.js',
        find: 'epoch > group.leaderEpoch && epoch > group.configEpoch',
        replace: 'epoch >= group.leaderEpoch && epoch > group.configEpoch',
      },
    ],
  },
  {
    name: 'vote-for-an-older-epoch',
    story: 'A request of an epoch that is over is granted.',
    edits: [
      WITHOUT_ASKING_FIRST,
      {
        file: 'core/election/vote.js',
        find: 'epoch > group.leaderEpoch && epoch > group.configEpoch',
        replace: 'epoch !== group.leaderEpoch && epoch > group.configEpoch',
      },
    ],
    scenarios: ['a-request-for-a-vote-arrives-late.yml'],
  },
  {
    name: 'votes-of-other-epochs-count',
    story: 'A candidate counts what peers voted in any epoch.',
    edits: [
      {
        file: 'core/election/tally.js',
        find: 'ballot.votes.filter((vote) => vote.epoch === ballot.epoch)',
        replace: 'ballot.votes',
      },
    ],
    scenarios: ['a-request-for-a-vote-arrives-late.yml'],
  },
  {
    name: 'own-vote-counts-twice',
    story: 'A candidate counts its own vote a second time.',
    edits: [
      {
        file: 'core/election/tally.js',
        find: 'leaders.push(ballot.ownVote);',
        replace: 'leaders.push(ballot.ownVote, ballot.ownVote);',
      },
    ],
  },
  {
    name: 'epoch-is-not-advanced',
    story: 'A candidate stands in the current epoch instead of a new one.',
    edits: [
      {
        file: 'core/election/election.js',
        find: 'const epoch = state.currentEpoch + 1;',
        replace: 'const epoch = Math.max(1, state.currentEpoch);',
      },
    ],
  },
  // Liars: these want a participant that lies
  {
    name: 'a-hello-with-any-epoch',
    story: 'The epochs of a hello are believed, whatever they are.',
    edits: [
      {
        file: 'core/discovery/hello-receive.js',
        find: "if (isBelievable(turn, group, epochIn(hello), 'stranger'))",
        replace: 'adoptEpoch(turn, group, epochIn(hello));\n    if (true)',
      },
      {
        file: 'core/discovery/hello-receive.js',
        find: 'import { isBelievable, learnEpoch } from',
        replace: 'import { adoptEpoch, isBelievable, learnEpoch } from',
      },
    ],
    scenarios: ['../../../scenarios/47-an-epoch-of-2-to-the-48.yml'],
  },
  {
    name: 'a-step-of-any-length',
    story: 'A stranger’s number may be as far ahead as numbers go.',
    edits: [
      {
        file: 'core/election/epoch.js',
        find: 'return current + Math.max(0, Math.floor(whole - leftOf(spent, perSecond, nowMs)));',
        replace: 'return EPOCH_MAX;',
      },
    ],
    scenarios: ['../../../scenarios/47-an-epoch-of-2-to-the-48.yml'],
  },
  {
    name: 'made-up-sentinels-vote',
    story: 'Whoever was named in a hello counts for the majority.',
    edits: [
      {
        file: 'core/election/quorum.js',
        find: '1 + proven.length >= Math.max(GROUP_MIN, config.quorum) ? proven : all',
        replace: 'all',
      },
    ],
    scenarios: ['../../../scenarios/49-made-up-sentinels.yml'],
  },
  {
    name: 'a-vote-in-any-epoch',
    story: 'A stranger gets a vote in whatever epoch it asks for.',
    edits: [
      {
        file: 'core/election/vote.js',
        find: 'else if (admitEpoch(turn, group, epoch, speaker))',
        replace: 'else if (true)',
      },
    ],
    scenarios: ['../../../scenarios/48-a-stranger-asks-for-votes.yml'],
  },
  {
    name: 'places-without-number',
    story: 'As many made-up Sentinels are kept as hellos name.',
    edits: [
      {
        file: 'core/discovery/peers.js',
        find: 'const UNPROVEN_MAX = 100;',
        replace: 'const UNPROVEN_MAX = 100_000;',
      },
    ],
    scenarios: ['thousands-of-made-up-sentinels.yml'],
  },
  {
    name: 'a-word-of-anybody-at-the-address',
    story:
      'Whoever answers at the address a hello gives a Sentinel votes in the name of that Sentinel.',
    edits: [
      {
        file: 'core/discovery/proof.js',
        find: 'reply.bytes === peer.runId',
        replace: 'true',
      },
      { file: 'core/discovery/proof.js', find: 'silence(other);', replace: ';' },
    ],
    scenarios: ['../../../scenarios/found/15-a-vote-that-would-count-twice.yml'],
  },
  // Counting
  {
    name: 'majority-of-the-living',
    story: 'Only Sentinels that are up count, so that both halves of a partition have a majority.',
    edits: [
      {
        file: 'core/election/quorum.js',
        find: 'return electorsOf(group).length + 1;',
        replace: 'return usableSentinels(group);',
      },
    ],
  },
  {
    name: 'half-is-a-majority',
    story: 'Half of the Sentinels, rounded down, may elect.',
    edits: [
      {
        file: 'core/election/quorum.js',
        find: 'Math.floor(members / 2) + 1',
        replace: 'Math.max(1, Math.floor(members / 2))',
      },
    ],
  },
  {
    name: 'quorum-not-asked-of-the-election',
    story: 'A leader needs the majority, but not the quorum where that is more.',
    edits: [
      {
        file: 'core/election/quorum.js',
        find: 'Math.max(majority(electorCount(group)), group.config.quorum)',
        replace: 'majority(electorCount(group))',
      },
    ],
    scenarios: ['all-must-agree-and-one-dies.yml'],
  },
  {
    name: 'quorum-of-oneself',
    story: 'What one Sentinel sees is taken for what the quorum sees.',
    edits: [
      {
        file: 'core/detection/down.js',
        find: 'count > 0 && count >= quorum',
        replace: 'count > 0',
      },
    ],
  },
  {
    name: 'old-opinions-count',
    story: 'What a peer once said of the master is believed for ever.',
    edits: [{ file: 'core/detection/ask.js', find: '<= 5 * askMs', replace: '<= Infinity' }],
    scenarios: ['an-odown-that-came-to-nothing.yml'],
  },
  {
    name: 'odown-never-ends',
    story: 'A master that was O_DOWN once stays so until it is replaced.',
    edits: [
      {
        file: 'core/detection/down.js',
        find: 'else if (!isDown && isOdown(group))',
        replace: 'else if (quorum === Infinity)',
      },
    ],
    scenarios: ['an-odown-that-came-to-nothing.yml'],
  },
  {
    name: 'master-declared-down-too-soon',
    story: 'The clock of a suspicion starts with the connection and not with the PING.',
    edits: [
      {
        file: 'core/detection/ping.js',
        find: '    link.pingPendingSinceMs = undefined;\n',
        replace: '',
      },
    ],
  },
  {
    name: 'down-after-ignored',
    story: 'An instance is down the moment it owes an answer.',
    edits: [
      {
        file: 'core/detection/suspicion.js',
        find: 'const silentMs = downAfterMs + lateMs(state.tilt.late, unanswered, downAfterMs) + 1;',
        replace: 'const silentMs = 1;',
      },
    ],
  },
  {
    name: 'failover-begins-late',
    story: 'Candidates let each other go first for far too long.',
    edits: [
      {
        file: 'core/election/failover-start.js',
        find: 'before * ROUNDS_APART * roundMs(state, group)',
        replace: '(before + 1) * 10_000',
      },
    ],
    scenarios: ['the-master-dies-in-a-calm-cluster.yml'],
  },
  // Epochs and configurations
  {
    name: 'current-epoch-not-saved',
    story: 'The state file does not tell the current epoch.',
    edits: [
      {
        file: 'core/persistence/save.js',
        find: 'currentEpoch: state.currentEpoch,',
        replace: 'currentEpoch: 0,',
      },
    ],
    scenarios: ['an-election-comes-to-nothing.yml'],
  },
  {
    name: 'config-epoch-not-saved',
    story: 'The state file does not tell the config epoch.',
    edits: [
      {
        file: 'core/persistence/save.js',
        find: 'configEpoch: group.configEpoch,',
        replace: 'configEpoch: 0,',
      },
    ],
  },
  {
    name: 'older-hello-accepted',
    story: 'A hello with a lower config epoch changes the configuration.',
    edits: [
      {
        file: 'core/discovery/hello-receive.js',
        find: 'return hello.configEpoch > group.configEpoch;',
        replace: 'return true;',
      },
    ],
  },
  {
    name: 'hello-of-another-group-accepted',
    story: 'A hello is taken for one of the first group, whatever group it names.',
    edits: [
      {
        file: 'core/discovery/hello-receive.js',
        find: 'turn.state.groups.get(hello.group)',
        replace: '[...turn.state.groups.values()][0]',
      },
    ],
  },
  {
    name: 'leader-keeps-the-config-epoch',
    story: 'A promotion is told under the config epoch of the old master.',
    edits: [
      {
        file: 'core/failover/promotion.js',
        find: '    group.configEpoch = failover.epoch;\n',
        replace: '',
      },
    ],
  },
  {
    name: 'newer-configuration-ignored-in-a-failover',
    story: 'A leader that is at work takes a newer hello for its own configuration.',
    edits: [
      {
        file: 'core/discovery/hello-receive.js',
        find: 'if (isKnown && currentMaster(group) === master)',
        replace: 'if (isKnown)',
      },
      {
        file: 'core/discovery/hello-receive.js',
        find: 'if (failover === undefined || failover.epoch >= group.configEpoch)',
        replace: 'if (failover !== null)',
      },
    ],
    scenarios: ['a-failover-is-undone-before-it-ends.yml'],
  },
  // TILT
  {
    name: 'tilt-never-ends',
    story: 'A Sentinel that entered TILT once stays in it.',
    edits: [
      {
        file: 'core/detection/tilt.js',
        find: '>= state.config.periods.tiltMs',
        replace: '>= Infinity',
      },
    ],
  },
  {
    name: 'tilt-ignored',
    story: 'In TILT instances are declared down and up.',
    edits: [
      {
        file: 'core/detection/down.js',
        find: 'until it ends.\n    if (isTilted(turn.state))\n        return;\n',
        replace: 'until it ends.\n',
      },
    ],
  },
  {
    name: 'failover-goes-on-in-tilt',
    story: 'A leader in TILT goes on with its failover.',
    edits: [
      {
        file: 'core/failover/failover.js',
        find: 'while (!isTilted(turn.state))',
        replace: 'while (true)',
      },
    ],
    scenarios: ['the-clock-of-a-candidate-jumps.yml'],
  },
  {
    name: 'no-tilt-on-a-clock-jump',
    story: 'A jump of the wall clock is not noticed.',
    edits: [{ file: 'core/detection/tilt.js', find: ' || jumpedMs > limitMs', replace: '' }],
  },
  {
    name: 'no-tilt-on-a-stall',
    story: 'A Sentinel that hung believes what it sees.',
    edits: [{ file: 'core/detection/tilt.js', find: 'stalledMs > limitMs || ', replace: '' }],
  },
  // The choice of a replica
  {
    name: 'lowest-offset-promoted',
    story: 'The replica with the least data is taken for the best.',
    edits: [
      {
        file: 'core/failover/selection.js',
        find: 'return b.offset - a.offset;',
        replace: 'return a.offset - b.offset;',
      },
    ],
    scenarios: ['a-replica-falls-behind-and-the-master-dies.yml'],
  },
  {
    name: 'highest-priority-number-promoted',
    story: 'A higher replica-priority goes first.',
    edits: [
      {
        file: 'core/failover/selection.js',
        find: 'return a.priority - b.priority;',
        replace: 'return b.priority - a.priority;',
      },
    ],
  },
  {
    name: 'priority-0-promoted',
    story: 'A replica that must never be promoted is the first choice.',
    edits: [
      {
        file: 'core/failover/selection.js',
        find: "    if (replica.priority === 0)\n        return 'its replica-priority is 0';\n",
        replace: '',
      },
    ],
  },
  {
    name: 'dead-replica-selected',
    story: 'A replica that is S_DOWN may be chosen.',
    edits: [
      {
        file: 'core/failover/selection.js',
        find: "    if (isSdown(replica))\n        return 'it is down';\n",
        replace: '',
      },
    ],
    scenarios: ['the-best-replica-hangs-when-the-master-dies.yml'],
  },
  {
    name: 'stale-info-accepted',
    story: 'Replicas are not asked again where they stand before one is chosen.',
    edits: [
      {
        file: 'core/failover/promotion.js',
        find: 'return replica.infoAtMs === undefined || replica.infoAtMs < freshSinceMs(failover);',
        replace: 'return false;',
      },
      {
        file: 'core/election/election.js',
        find: '    for (const replica of group.replicas.values())\n        ask(turn, replica);\n',
        replace: '',
      },
      {
        file: 'core/detection/down.js',
        find: '    for (const replica of group.replicas.values()) {\n        requestRecentInfo(turn, replica);\n        scheduleInfo(turn, replica);\n    }\n',
        replace: '',
      },
      {
        file: 'core/failover/selection.js',
        find: 'return turn.now.monoMs - infoAtMs <= limitMs;',
        replace: 'return true;',
      },
    ],
    scenarios: ['a-replica-falls-behind-and-the-master-dies.yml'],
  },
  // What comes after a promotion
  {
    name: 'old-master-left-alone',
    story: 'A master that comes back after it was replaced is not turned into a replica.',
    edits: [
      {
        file: 'core/failover/repair.js',
        find: '        repairFalseMaster(turn, replica);\n    else if',
        replace: '        return;\n    else if',
      },
    ],
  },
  {
    name: 'other-replicas-left-alone',
    story: 'Nobody tells the other replicas to follow the new master.',
    edits: [
      {
        file: 'core/failover/reconfigure.js',
        find: "if (replica.promoted || replica.reconf !== 'none')",
        replace: "if (replica.promoted || replica.reconf !== 'nothing')",
      },
      {
        file: 'core/failover/repair.js',
        find: '        repairStray(turn, replica);\n',
        replace: '        return;\n',
      },
      {
        file: 'core/failover/reconfigure.js',
        find: 'for (const replica of ownReplicas(turn.state, group)) {\n        if (replica.promoted ||',
        replace: 'for (const replica of []) {\n        if (replica.promoted ||',
      },
    ],
  },
  {
    name: 'failover-never-times-out',
    story: 'A leader waits for ever for a replica that cannot follow.',
    edits: [
      {
        file: 'core/failover/reconfigure.js',
        find: 'return failover.stateChangedAtMs + group.config.failoverTimeoutMs + 1;',
        replace: 'return failover.stateChangedAtMs + 1e9;',
      },
    ],
    scenarios: ['a-replica-cannot-reach-the-new-master.yml'],
  },
  {
    name: 'a-dead-leader-is-waited-for',
    story: 'Whoever voted for a leader that died at once waits for it all the same.',
    edits: [
      {
        file: 'core/election/failover-start.js',
        find: '    if (leader !== undefined && isSdown(leader))\n        return leader.sdownSinceMs ?? 0;\n',
        replace: '',
      },
    ],
    scenarios: ['a-leader-dies-when-it-is-elected.yml'],
  },
  // Evidence
  {
    name: 'veto-ignored',
    story: 'A replica that still streams from the master does not stop the proof of its death.',
    edits: [
      {
        file: 'core/detection/evidence.js',
        find: "said.includes('lost') && !said.includes('streams')",
        replace: "said.includes('lost') || said.includes('streams')",
      },
    ],
    scenarios: ['../../../scenarios/41-firewall-refuses-the-sentinels.yml'],
  },
  {
    name: 'refused-after-ignored',
    story: 'The first refusal proves a death.',
    edits: [
      {
        file: 'core/detection/evidence.js',
        find: 'const provenMs = refusal.sinceMs + refusedLongMs(master, refusal.sinceMs);',
        replace: 'const provenMs = refusal.sinceMs;',
      },
    ],
    scenarios: ['../../../scenarios/40-fast-restart.yml'],
  },
  {
    name: 'head-start-without-end',
    story: 'Who hears that a peer holds the master down believes it at the first unanswered PING.',
    edits: [
      {
        file: 'core/detection/evidence.js',
        find: 'Math.min(HEAD_START_MS, Math.floor(spanMs * HEAD_START_SHARE))',
        replace: 'spanMs',
      },
    ],
  },
  // The data node
  {
    name: 'min-replicas-ignored',
    story: 'min-replicas-to-write is not looked at.',
    edits: [
      {
        file: 'server/replication/serving/write-fence.js',
        find: 'this.goodCount < this.#needed() ? NOREPLICAS : undefined',
        replace: 'undefined',
      },
    ],
    scenarios: ['../../../scenarios/02-master-and-one-sentinel-cut-off.yml'],
  },
  {
    name: 'min-replicas-lag-ignored',
    story: 'A replica counts as long as its connection stands, however long it has been silent.',
    edits: [
      {
        file: 'server/replication/serving/write-fence.js',
        find: 'return (this.#lookedAtMs - hasAllUntilMs <= limitMs &&',
        replace: 'return (true ||',
      },
    ],
    scenarios: ['../../../scenarios/02-master-and-one-sentinel-cut-off.yml'],
  },
  {
    name: 'min-replicas-counts-any-acknowledgement',
    story: 'A replica counts if it acknowledges in time, however far back in the stream it is.',
    edits: [
      {
        file: 'server/replication/serving/replicas.js',
        find: 'const hasAll = offset >= this.#history.offset;',
        replace: 'const hasAll = offset >= 0;',
      },
    ],
    scenarios: ['the-replicas-fall-behind-and-the-master-dies.yml'],
  },
  {
    name: 'a-replica-counts-twice',
    story: 'A replica that is back before its old connection breaks counts with both.',
    edits: [
      {
        file: 'server/replication/serving/replicas.js',
        find: 'other.countsFromOffset = this.#history.offset + 1;',
        replace: 'other.countsFromOffset = 0;',
      },
    ],
    scenarios: ['a-replica-is-back-before-its-master-knows.yml'],
  },
  {
    name: 'wait-counts-who-said-nothing',
    story: 'WAIT counts every replica that gets the stream, whatever it has acknowledged.',
    edits: [
      {
        file: 'server/replication/serving/replicas.js',
        find: 'if (isCounted(peer) && peer.ackOffset >= offset)',
        replace: 'if (isCounted(peer))',
      },
    ],
    scenarios: ['clients-wait-while-a-replica-is-cut-off.yml'],
  },
  {
    name: 'waitaof-counts-who-said-nothing',
    story: 'WAITAOF counts every replica that gets the stream, whatever is on its disk.',
    edits: [
      {
        file: 'server/replication/serving/replicas.js',
        find: 'if (isCounted(peer) && peer.fsyncedOffset >= offset)',
        replace: 'if (isCounted(peer))',
      },
    ],
    scenarios: ['clients-wait-while-a-replica-is-cut-off.yml'],
  },
  {
    name: 'wait-asks-about-the-past',
    story: 'WAIT asks for what was there before the client wrote.',
    edits: [
      {
        file: 'server/replication/serving/waits.js',
        find: 'lastDone.offset = this.#state.history.offset;',
        replace: 'lastDone.offset ||= this.#state.history.offset;',
      },
    ],
    scenarios: ['clients-wait-while-a-replica-is-cut-off.yml'],
  },
  {
    name: 'a-stray-master-accuses-its-master',
    story: 'A dump does not say whose data it holds, nor what was before.',
    edits: [
      {
        file: 'server/replication/history/history.js',
        find: '        if (previous === undefined)\n            return;\n',
        replace: '        return;\n',
      },
      {
        file: 'server/replication/following/sync-position.js',
        find: 'this.wasInStep = wasInStep;',
        replace: 'this.wasInStep = true;',
      },
    ],
    scenarios: ['a-stray-master-comes-back-as-a-replica.yml'],
  },
  {
    name: 'stall-not-noticed',
    story: 'A master that stood still goes on as if no time had passed.',
    edits: [
      {
        file: 'server/replication/serving/write-fence.js',
        find: 'this.#heardFromOffset = NOT_ASKED_YET;\n        this.#mustAsk = true;\n',
        replace: '',
      },
    ],
    scenarios: ['../../../scenarios/44-thawed-master-with-queued-writers.yml'],
  },
  {
    name: 'queued-acknowledgement-counts',
    story:
      'After it stood still, a master takes acknowledgements that waited in its sockets for news.',
    edits: [
      {
        file: 'server/replication/serving/write-fence.js',
        find: ' || peer.ackOffset < this.#heardFromOffset',
        replace: '',
      },
    ],
    scenarios: ['../../../scenarios/44-thawed-master-with-queued-writers.yml'],
  },
  {
    name: 'replica-accepts-writes',
    story: 'A replica takes the writes of clients.',
    edits: [
      {
        file: 'server/gate.js',
        find: 'return READ_ONLY_REPLICA;',
        replace: 'return undefined;',
      },
    ],
    scenarios: ['a-client-stays-with-a-demoted-master.yml'],
  },
  {
    name: 'psync-of-any-history',
    story: 'A replica goes on from an offset, whatever history it counts in.',
    edits: [
      {
        file: 'server/replication/history/history.js',
        find: 'return asked === this.id || (asked === this.previousId && offset <= this.secondOffset);',
        replace: 'return asked !== undefined;',
      },
    ],
    scenarios: ['a-cut-off-master-takes-writes-and-comes-back.yml'],
  },
  {
    name: 'old-history-kept-too-long',
    story: 'The history before a promotion is held to be common for longer than it was.',
    edits: [
      {
        file: 'server/replication/history/history.js',
        find: 'this.secondOffset = this.offset + 1;',
        replace: 'this.secondOffset = this.offset + 10_000;',
      },
    ],
    scenarios: ['a-cut-off-master-takes-writes-and-comes-back.yml'],
  },
  {
    name: 'no-new-history-at-a-promotion',
    story: 'A promoted replica goes on in the history of its old master.',
    edits: [
      { file: 'server/replication/replication.js', find: '        history.fork();\n', replace: '' },
    ],
    scenarios: ['a-cut-off-master-takes-writes-and-comes-back.yml'],
  },
  {
    name: 'replica-drops-a-command',
    story: 'A replica counts a command it has not applied.',
    edits: [
      {
        file: 'server/replication/following/stream-reader.js',
        find: "if (name === 'ping')",
        replace: "if (name === 'ping' || argv[1]?.endsWith('7'))",
      },
    ],
    scenarios: ['the-master-dies-in-a-calm-cluster.yml'],
  },
  {
    name: 'applied-bytes-miscounted',
    story: 'A replica counts one byte less than it applies.',
    edits: [
      {
        file: 'server/replication/following/stream-reader.js',
        find: 'this.#stream.feed(bytes, db);',
        replace: 'this.#stream.feed(bytes.slice(1), db);',
      },
    ],
  },
  {
    name: 'snapshot-without-what-follows',
    story: 'What is written while a snapshot is on its way is not sent after it.',
    edits: [
      {
        file: 'server/replication/serving/attachment.js',
        find: 'this.#replicas.bringOnline(peer, peer.heldFromOffset + 1);',
        replace: 'this.#replicas.bringOnline(peer, this.#history.offset + 1);',
      },
    ],
  },

  // Full masters
  {
    name: 'full-node-is-asked-once',
    story:
      'A node without memory refuses the transaction with SLAVEOF, and is not told in another way.',
    edits: [
      {
        file: 'core/failover/slaveof.js',
        find: '    if (!isWithoutMemory(reply))\n        return;\n',
        replace: '    return;\n',
      },
    ],
    scenarios: ['../../../scenarios/76-gray-master.yml'],
  },
  // Emptied masters
  {
    name: 'an-empty-master-is-copied',
    story: 'A replica that holds data copies a master that has lost its own.',
    edits: [
      {
        file: 'server/replication/history/divergence.js',
        find: 'if (offer.offset >= own.offset)',
        replace: 'if (offer.offset >= 0)',
      },
    ],
    scenarios: ['a-master-comes-back-empty.yml'],
  },
  {
    name: 'nobody-hears-of-an-empty-master',
    story: 'Sentinels do not act on what replicas say of a master that came back without its data.',
    edits: [
      {
        file: 'core/detection/suspicion.js',
        find: "ground('empty', master.emptiedAtMs)",
        replace: "ground('empty', undefined)",
      },
    ],
    scenarios: ['a-master-comes-back-empty.yml'],
  },
  {
    name: 'a-reply-before-the-append',
    story: 'Clients are told of a write before the append-only file has it.',
    edits: [
      {
        file: 'server/persistence/aof-log.js',
        find: 'for (let bytes = this.#writer.next; bytes !== undefined; bytes = this.#writer.next) {',
        replace:
          'for (let bytes = this.#writer.next; bytes !== undefined && bytes.length > 4096; bytes = this.#writer.next) {',
      },
    ],
    scenarios: ['a-master-restarts-with-its-file.yml'],
  },

  // Planned handovers
  {
    name: 'coordinated-without-an-election',
    story: 'A coordinated failover is led by whoever was asked for it, without a vote.',
    edits: [
      {
        file: 'core/election/election.js',
        find: 'const outcome = needsVotes(group, failover.kind)',
        replace: "const outcome = failover.kind === 'automatic'",
      },
    ],
  },
  {
    name: 'hands-over-before-the-replica-has-everything',
    story: 'FAILOVER takes any acknowledgement of the replica for the last one.',
    edits: [
      {
        file: 'server/replication/failover.js',
        find: 'if (peer.ackOffset === offset)',
        replace: 'if (peer.ackOffset <= offset)',
      },
    ],
    scenarios: ['a-planned-handover-under-load.yml'],
  },
  {
    name: 'hands-over-while-clients-write',
    story: 'FAILOVER does not hold writes back.',
    edits: [
      {
        file: 'server/replication/failover.js',
        find: "        node.pause.start(Number.POSITIVE_INFINITY, 'writes', 'failover');\n",
        replace: '',
      },
      {
        file: 'server/replication/failover.js',
        find: 'if (peer.ackOffset === offset)',
        replace: 'if (peer.ackOffset <= offset)',
      },
    ],
    scenarios: ['a-planned-handover-under-load.yml'],
  },
  // Paused failover
  {
    name: 'votes-in-a-pause',
    story: 'A Sentinel that holds a pause votes for a candidate that has not heard of it.',
    edits: [
      {
        file: 'core/pause/pause.js',
        find: 'return isPaused(group) && !isByHand;',
        replace: 'return false;',
      },
    ],
    scenarios: ['a-sentinel-does-not-hear-of-a-pause.yml'],
  },
  {
    name: 'begins-in-a-pause',
    story: 'A Sentinel that holds a pause withholds its vote from others, and stands itself.',
    edits: [
      {
        file: 'core/election/failover-start.js',
        find: '    if (isPaused(group)) {\n',
        replace: '    if (false) {\n',
      },
      WITHOUT_ASKING_FIRST,
    ],
    scenarios: ['everything-restarts-in-a-pause.yml'],
  },
  {
    name: 'pause-forgotten-on-restart',
    story: 'Sentinels that were restarted know of no pause.',
    edits: [
      {
        file: 'core/sentinel.js',
        find: '    restorePause(turn, group, saved.pause);\n',
        replace: '',
      },
    ],
    scenarios: ['everything-restarts-in-a-pause.yml'],
  },
  {
    name: 'pause-not-saved',
    story: 'A pause is told before it is on disk.',
    edits: [
      {
        file: 'core/pause/pause.js',
        find: '    setRecord(turn, group, told);\n    save(turn);\n    const { by, leftMs, kind } = told;\n',
        replace: '    setRecord(turn, group, told);\n    const { by, leftMs, kind } = told;\n',
      },
    ],
    scenarios: ['everything-restarts-in-a-pause.yml'],
  },
  {
    name: 'an-old-pause-counts',
    story: 'The order that is told last counts, not the one with the highest number.',
    edits: [
      {
        file: 'core/pause/pause-record.js',
        find: '        return one.number > other.number;\n',
        replace: '        return true;\n',
      },
    ],
    scenarios: ['a-pause-ends-behind-a-partition.yml'],
  },

  // Rules about promotions
  {
    name: 'must-not-is-only-a-wish',
    story:
      'A replica that must not be promoted comes last, and is promoted where there is no other.',
    edits: [
      {
        file: 'core/failover/selection.js',
        find: "    if (rule?.[1] === 'must-not')\n",
        replace: '    if (rule === null)\n',
      },
    ],
    scenarios: ['a-replica-that-must-not-be-promoted.yml'],
  },
  {
    name: 'zones-are-crossed',
    story: 'A Sentinel promotes a replica in another zone, although it may not.',
    edits: [
      {
        file: 'core/failover/selection.js',
        find: 'masters === undefined || own === masters',
        replace: 'masters === undefined || own !== undefined',
      },
    ],
    scenarios: ['a-zone-that-must-not-be-left.yml'],
  },
  {
    name: 'the-rules-are-read-last',
    story: 'What the rules prefer counts only among replicas that are equal otherwise.',
    edits: [
      {
        file: 'core/failover/selection.js',
        find: 'a.rank - b.rank || comparePromotion(a.replica, b.replica)',
        replace: 'comparePromotion(a.replica, b.replica) || a.rank - b.rank',
      },
    ],
    scenarios: ['a-preferred-replica-of-a-worse-priority.yml'],
  },
  {
    name: 'only-the-leader-is-blocked',
    story: 'The block after a failover binds the Sentinel that led it, and no other.',
    edits: [
      {
        file: 'core/failover/shared-master.js',
        find: '    if (isAutomatic)\n        beginBlock(turn, group);\n    else\n        liftBlock(turn, group);\n',
        replace: '',
      },
    ],
    scenarios: ['masters-that-die-one-after-the-other.yml'],
  },
  {
    name: 'an-order-leaves-the-block',
    story: "An operator's failover does not lift the block.",
    edits: [
      {
        file: 'core/failover/failover.js',
        find: '    liftBlock(turn, group);\n',
        replace: '',
      },
    ],
    scenarios: ['masters-that-die-one-after-the-other.yml'],
  },
  // Data: what clients on databases of their own are told, and what files keep
  {
    name: 'a-copy-without-its-expiry',
    story: 'COPY forgets when the key dies.',
    edits: [
      {
        file: 'server/commands/keys/keys.js',
        find: 'options.db.put(target, copyValue(entry.value), entry.expireAtMs);',
        replace: 'options.db.put(target, copyValue(entry.value));',
      },
    ],
    scenarios: ['clients-work-on-data-while-masters-change.yml'],
  },
  {
    name: 'an-expiry-that-stays-with-the-master',
    story: 'Replicas and files are told of a SET without its expiry.',
    edits: [
      {
        file: 'server/commands/strings/set.js',
        find: "context.propagate(['SET', arg(argv, 1), arg(argv, 2), 'PXAT', momentText(atMs)]);",
        replace: "context.propagate(['SET', arg(argv, 1), arg(argv, 2)]);",
      },
    ],
    scenarios: ['clients-work-on-data-while-masters-change.yml'],
  },
  {
    name: 'a-set-that-keeps-the-old-expiry',
    story: 'A SET without KEEPTTL leaves the expiry of the value before it.',
    edits: [
      {
        file: 'server/commands/strings/set.js',
        find: "        context.db.put(key, { type: 'string', bytes });\n    }\n    context.notify('set', key);",
        replace:
          "        context.db.put(key, { type: 'string', bytes }, context.db.find(key)?.expireAtMs);\n    }\n    context.notify('set', key);",
      },
    ],
    scenarios: ['clients-work-on-data-while-masters-change.yml'],
  },
  {
    name: 'a-replica-shows-the-dead',
    story: 'A replica shows keys whose time is over until its master takes them away.',
    edits: [
      {
        file: 'server/execution.js',
        find: 'else if (replication.isReplica() || pause.scope !== undefined)',
        replace:
          "else if (replication.isReplica())\n            keyspace.expiryMode = 'ignore';\n        else if (pause.scope !== undefined)",
      },
    ],
    scenarios: [],
  },
  {
    name: 'a-file-that-is-never-synced',
    story: 'The second after which everysec syncs never comes.',
    edits: [
      {
        file: 'server/persistence/aof-log.js',
        find: 'this.#nextSyncMs = monoMs + SYNC_PERIOD_MS;',
        replace: 'this.#nextSyncMs = monoMs + 60 * SYNC_PERIOD_MS;',
      },
    ],
    scenarios: ['a-group-loses-power.yml'],
  },
  // Scans of clients on databases of their own
  {
    name: 'a-page-of-a-scan-skips-one',
    story: 'Each page of a scan but the first leaves out the element that it begins with.',
    edits: [
      {
        file: 'server/keyspace/scan.js',
        find: '            this.#iterations.delete(cursor);\n            return known;\n',
        replace:
          '            this.#iterations.delete(cursor);\n            known.walk.next();\n            return known;\n',
      },
    ],
  },
  {
    name: 'a-scan-of-keys-ends-too-soon',
    story: 'A scan of the keys is over when one key is left.',
    edits: [
      {
        file: 'server/key-table/key-table.js',
        find: 'return this.#pages.next(this.#position, this.#end) === NOWHERE;',
        replace: 'return this.#pages.next(this.#position + 1, this.#end) === NOWHERE;',
      },
    ],
  },
  {
    name: 'flushall-empties-one-database',
    story: 'FLUSHALL takes only the database that its client has selected.',
    edits: [
      {
        file: 'server/commands/keys/keys.js',
        find: '    for (const db of context.node.keyspace.dbs)\n        deleted',
        replace: '    for (const db of [context.db])\n        deleted',
      },
    ],
  },
  {
    name: 'flushall-stays-here',
    story: 'Replicas and files are not told of a FLUSHALL.',
    edits: [
      {
        file: 'server/commands/keys/keys.js',
        find: '    context.propagate(undefined, deleted);\n    return replyToFlush(context);\n',
        replace: '    return replyToFlush(context);\n',
      },
    ],
  },
  // Messages
  {
    name: 'a-message-comes-twice',
    story: 'A subscriber gets every message twice.',
    edits: [
      {
        file: 'server/sessions/pubsub.js',
        find: 'isPlain ? listener.tellPlain(message) : listener.tell(message);',
        replace:
          'isPlain ? listener.tellPlain(message) : (listener.tell(message), listener.tell(message));',
      },
    ],
  },
  {
    name: 'replicas-hear-messages-twice',
    story: 'A master sends its replicas every message twice.',
    edits: [
      {
        file: 'server/effects.js',
        find: '            replication.propagate(sent[0].db, commandsOf(sent));\n',
        replace:
          '            for (const _ of [1, 2])\n                replication.propagate(sent[0].db, commandsOf(sent));\n',
      },
    ],
  },
  // Watches: what clients that use the same keys are told
  {
    name: 'exec-runs-despite-a-change',
    story: 'A transaction runs although a key that its client watches was changed.',
    edits: [
      {
        file: 'server/commands/transactions.js',
        find: '    if (isStale)\n        return NULL_ARRAY;\n',
        replace: '',
      },
    ],
  },
  {
    name: 'a-new-key-is-not-watched',
    story: 'A watch of a key that is not there overlooks that it is created.',
    edits: [
      {
        file: 'server/keyspace/db.js',
        find: '            if (this.watchers.size > 0)\n                this.#touched(key);\n            rules.tracker?.keyChanged(key);\n            if (expireAtMs',
        replace: '            rules.tracker?.keyChanged(key);\n            if (expireAtMs',
      },
    ],
  },
  {
    name: 'any-change-breaks-a-watch',
    story: 'A transaction does not run because another key than the one watched was changed.',
    edits: [
      {
        file: 'server/keyspace/db.js',
        find: '        const watchers = this.watchers.get(key);\n        if (watchers === undefined)\n            return;\n        for (const watcher of watchers)\n            watcher.keyChanged(this, key);\n',
        replace:
          '        for (const watchers of this.watchers.values())\n            for (const watcher of watchers)\n                watcher.isBroken = true;\n',
      },
    ],
  },
  // The proxy
  {
    name: 'proxy-sends-writes-twice',
    story: 'A write whose master was lost is given to the next one as a read would be.',
    edits: [
      {
        file: 'proxy/unanswered.js',
        find: "kind === 'write' && !isHere",
        replace: 'false',
      },
    ],
    scenarios: ['connections-of-a-master-behind-a-proxy-are-reset.yml'],
  },
  {
    name: 'proxy-believes-one-sentinel',
    story: 'A single Sentinel is enough for the proxy to take a node for the master.',
    edits: [
      {
        file: 'proxy/master-view.js',
        find: 'Math.floor(electors / 2) + 1',
        replace: '1',
      },
    ],
    scenarios: ['a-proxy-is-cut-off-with-the-old-master.yml'],
  },
  {
    name: 'proxy-forgets-the-lease',
    story: 'What a Sentinel once said about a master holds for ever.',
    edits: [
      {
        file: 'proxy/master-view.js',
        find: 'const untilMs = askedAtMs + this.#leaseMs;',
        replace: 'const untilMs = askedAtMs + 1e9;',
      },
    ],
    scenarios: ['a-proxy-is-cut-off-with-the-old-master.yml'],
  },
  {
    name: 'proxy-resends-unconfirmed',
    story: 'What has to be asked again goes to the node at hand, confirmed or not.',
    edits: [
      {
        file: 'proxy/server-side.js',
        find: 'return target !== undefined && link.leads(target);',
        replace: 'return true;',
      },
    ],
    scenarios: ['a-proxy-is-cut-off-with-the-old-master.yml'],
  },
  {
    name: 'hellos-wait-for-a-pause',
    story: 'A Sentinel that says hello to a paused master is not answered any more.',
    edits: [
      {
        file: 'server/gate.js',
        find: '    if (command.isMessage && session.isPlain)\n        return false;\n',
        replace: '',
      },
    ],
    scenarios: ['an-old-master-is-back-while-its-writes-wait.yml'],
  },
  {
    name: 'told-again-is-no-news',
    story:
      'A replica holds the shorter history of its master against it, though it was told to follow it again.',
    edits: [
      {
        file: 'server/replication/following/master-link.js',
        find: '        this.#position.namedAgain();\n',
        replace: '',
      },
    ],
    scenarios: ['a-master-was-a-replica-for-a-moment.yml'],
  },
  {
    name: 'switch-is-announced-before-it-is-saved',
    story: 'A Sentinel announces a switch that it would have forgotten after a crash.',
    edits: [
      {
        file: 'core/failover/switch.js',
        find: "    save(turn);\n    announce(turn, '+switch-master'",
        replace: "    announce(turn, '+switch-master'",
      },
      {
        file: 'core/failover/switch.js',
        find: '.deposed = deposed;\n    sendHelloToAll(turn, group);',
        replace: '.deposed = deposed;\n    save(turn);\n    sendHelloToAll(turn, group);',
      },
    ],
    scenarios: ['a-proxy-hears-of-a-switch-on-slow-disks.yml'],
  },
  {
    name: 'node-drops-half-closed-answers',
    story:
      'A data node closes as soon as its client has closed its half: what waits for the disk is not answered.',
    edits: [
      {
        file: 'server/node.js',
        find: 'this.#requests.leaves(session);',
        replace: 'this.services.sessions.cutOff(session);',
      },
    ],
    scenarios: ['clients-close-their-half-in-a-calm-cluster.yml'],
  },
  {
    name: 'proxy-drops-half-closed-answers',
    story:
      'A proxy closes as soon as its client has closed its half: what is under way is not answered.',
    edits: [
      {
        file: 'proxy/session.js',
        find: 'this.#leaveAtMs = nowMs + LEAVE_MS;\n        this.drain(nowMs);',
        replace: 'this.end();',
      },
    ],
    scenarios: ['clients-close-their-half-in-a-calm-cluster.yml'],
  },
  ...SLIPS,
  ...STRICT_MUTANTS,
  {
    name: 'each-name-fails-over-by-itself',
    story: 'A failover of one group leaves the other groups with the same master to themselves.',
    edits: [
      {
        file: 'core/failover/shared-master.js',
        find: 'if (isStrict(group))\n',
        replace: 'if (true)\n',
      },
    ],
    scenarios: ['../../../scenarios/77-two-names-for-one-master.yml'],
  },
  ...OPERATOR_MUTANTS,
  {
    name: 'orders-leave-the-connections',
    story:
      'A replica that is told to follow another master keeps the connections on which late orders may come.',
    edits: [
      {
        file: 'core/failover/slaveof.js',
        find: "        ['CLIENT', 'KILL', 'TYPE', 'normal'],\n",
        replace: '',
      },
    ],
    scenarios: ['../../../scenarios/73-late-packets.yml'],
  },
]
