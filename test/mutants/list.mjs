/**
 * Planted faults: what a slip of the pen, a clever shortcut or a bad merge could make of the machines.
 * Each must be found by the laboratory; one that is not is a defect of its checkers.
 *
 * `edits` change the compiled files under dist. A `find` stands exactly once in its file; the hook
 * refuses to load a file where that is not so, and so the list cannot rot unnoticed. `scenarios` are
 * tried first, for faults that chance would seldom meet.
 */
/** Candidates that ask first hardly ever split a vote: faults in voting itself are looked for without that. */
const WITHOUT_ASKING_FIRST = {
  file: 'core/candidacy.js',
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
        file: 'core/vote.js',
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
        file: 'sim/sentinel-program.js',
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
        file: 'core/vote.js',
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
        file: 'core/vote.js',
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
        file: 'core/tally.js',
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
        file: 'core/tally.js',
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
        file: 'core/election.js',
        find: 'const epoch = state.currentEpoch + 1;',
        replace: 'const epoch = Math.max(1, state.currentEpoch);',
      },
    ],
  },
  // Counting
  {
    name: 'majority-of-the-living',
    story: 'Only Sentinels that are up count, so that both halves of a partition have a majority.',
    edits: [
      {
        file: 'core/quorum.js',
        find: 'return group.peers.size + 1;',
        replace: 'return usableSentinels(group);',
      },
    ],
  },
  {
    name: 'half-is-a-majority',
    story: 'Half of the Sentinels, rounded down, may elect.',
    edits: [
      {
        file: 'core/quorum.js',
        find: 'Math.floor(voters / 2) + 1',
        replace: 'Math.max(1, Math.floor(voters / 2))',
      },
    ],
  },
  {
    name: 'quorum-not-asked-of-the-election',
    story: 'A leader needs the majority, but not the quorum where that is more.',
    edits: [
      {
        file: 'core/quorum.js',
        find: 'Math.max(majority(votersOf(group)), group.config.quorum)',
        replace: 'majority(votersOf(group))',
      },
    ],
    scenarios: ['all-must-agree-and-one-dies.yml'],
  },
  {
    name: 'quorum-of-oneself',
    story: 'What one Sentinel sees is taken for what the quorum sees.',
    edits: [
      {
        file: 'core/down.js',
        find: 'count > 0 && count >= quorum',
        replace: 'count > 0',
      },
    ],
  },
  {
    name: 'old-opinions-count',
    story: 'What a peer once said of the master is believed for ever.',
    edits: [{ file: 'core/ask.js', find: '<= 5 * askMs', replace: '<= Infinity' }],
    scenarios: ['an-odown-that-came-to-nothing.yml'],
  },
  {
    name: 'odown-never-ends',
    story: 'A master that was O_DOWN once stays so until it is replaced.',
    edits: [
      {
        file: 'core/down.js',
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
        file: 'core/ping.js',
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
        file: 'core/suspicion.js',
        find: 'unanswered + group.config.downAfterMs + 1',
        replace: 'unanswered + 1',
      },
    ],
  },
  {
    name: 'failover-begins-late',
    story: 'Candidates let each other go first for far too long.',
    edits: [
      {
        file: 'core/stagger.js',
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
        file: 'core/memory/save.js',
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
        file: 'core/memory/save.js',
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
        file: 'core/hello.js',
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
        file: 'core/hello.js',
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
        file: 'core/promotion.js',
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
        file: 'core/hello.js',
        find: 'if (isKnown && currentMaster(group) === master)',
        replace: 'if (isKnown)',
      },
      {
        file: 'core/hello.js',
        find: 'if (failover !== undefined && failover.epoch < group.configEpoch)',
        replace: 'if (failover === null)',
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
        file: 'core/tilt.js',
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
        file: 'core/down.js',
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
        file: 'core/failover.js',
        find: 'while (!isTilted(turn.state))',
        replace: 'while (true)',
      },
    ],
    scenarios: ['the-clock-of-a-candidate-jumps.yml'],
  },
  {
    name: 'no-tilt-on-a-clock-jump',
    story: 'A jump of the wall clock is not noticed.',
    edits: [{ file: 'core/tilt.js', find: ' || jumpedMs > limitMs', replace: '' }],
  },
  {
    name: 'no-tilt-on-a-stall',
    story: 'A Sentinel that hung believes what it sees.',
    edits: [{ file: 'core/tilt.js', find: 'stalledMs > limitMs || ', replace: '' }],
  },
  // The choice of a replica
  {
    name: 'lowest-offset-promoted',
    story: 'The replica with the least data is taken for the best.',
    edits: [
      {
        file: 'core/selection.js',
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
        file: 'core/selection.js',
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
        file: 'core/selection.js',
        find: '|| replica.priority === 0)',
        replace: ')',
      },
    ],
  },
  {
    name: 'dead-replica-selected',
    story: 'A replica that is S_DOWN may be chosen.',
    edits: [
      {
        file: 'core/selection.js',
        find: 'if (isSdown(replica) || commandLink',
        replace: 'if (commandLink',
      },
    ],
    scenarios: ['the-best-replica-hangs-when-the-master-dies.yml'],
  },
  {
    name: 'stale-info-accepted',
    story: 'Replicas are not asked again where they stand before one is chosen.',
    edits: [
      {
        file: 'core/promotion.js',
        find: 'return replica.infoAtMs === undefined || replica.infoAtMs < freshSinceMs(failover);',
        replace: 'return false;',
      },
      {
        file: 'core/election.js',
        find: '    for (const replica of group.replicas.values())\n        requestInfo(turn, replica);\n',
        replace: '',
      },
      {
        file: 'core/down.js',
        find: '    for (const replica of group.replicas.values()) {\n        requestInfo(turn, replica);\n        scheduleInfo(turn, replica);\n    }\n',
        replace: '',
      },
      {
        file: 'core/selection.js',
        find: 'return turn.now.monoMs - replica.infoAtMs <= limitMs;',
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
        file: 'core/repair.js',
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
        file: 'core/reconfigure.js',
        find: "if (replica.promoted || replica.reconf !== 'none')",
        replace: "if (replica.promoted || replica.reconf !== 'nothing')",
      },
      {
        file: 'core/repair.js',
        find: '        repairStray(turn, replica);\n',
        replace: '        return;\n',
      },
      {
        file: 'core/reconfigure.js',
        find: 'for (const replica of group.replicas.values()) {\n        if (replica.promoted ||',
        replace: 'for (const replica of []) {\n        if (replica.promoted ||',
      },
    ],
  },
  {
    name: 'failover-never-times-out',
    story: 'A leader waits for ever for a replica that cannot follow.',
    edits: [
      {
        file: 'core/reconfigure.js',
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
        file: 'core/start.js',
        find: '    if (isSdown(leader))\n        return leader.sdownSinceMs ?? 0;\n',
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
        file: 'core/evidence.js',
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
        file: 'core/evidence.js',
        find: 'const provenMs = refusal.sinceMs + refusedAfterMs;',
        replace: 'const provenMs = refusal.sinceMs;',
      },
    ],
    scenarios: ['../../../scenarios/40-fast-restart.yml'],
  },
  // The data node
  {
    name: 'min-replicas-ignored',
    story: 'min-replicas-to-write is not looked at.',
    edits: [
      {
        file: 'server/replication/write-fence.js',
        find: 'this.#replicas.goodCount < needed ? NOREPLICAS : undefined',
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
        file: 'server/replication/serving/replicas.js',
        find: ' && this.lagSeconds(peer) <= maxLagSeconds',
        replace: '',
      },
    ],
    scenarios: ['../../../scenarios/02-master-and-one-sentinel-cut-off.yml'],
  },
  {
    name: 'replica-accepts-writes',
    story: 'A replica takes the writes of clients.',
    edits: [
      {
        file: 'server/gate.js',
        find: 'return isReadOnly ? READ_ONLY_REPLICA : undefined;',
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
    edits: [{ file: 'server/replication/role.js', find: '        history.fork();\n', replace: '' }],
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

  // Emptied masters
  {
    name: 'an-empty-master-is-copied',
    story: 'A replica that holds data copies a master that has lost its own.',
    edits: [
      {
        file: 'server/replication/history/kinship.js',
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
        file: 'core/suspicion.js',
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
        file: 'core/election.js',
        find: "failover.kind === 'forced' ? { kind: 'won' }",
        replace: "failover.kind !== 'automatic' ? { kind: 'won' }",
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
      { file: 'server/replication/failover.js', find: '        host.holdWrites();\n', replace: '' },
      {
        file: 'server/replication/failover.js',
        find: 'if (peer.ackOffset === offset)',
        replace: 'if (peer.ackOffset <= offset)',
      },
    ],
    scenarios: ['a-planned-handover-under-load.yml'],
  },
]
