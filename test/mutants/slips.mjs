/**
 * Slips of the pen in the Sentinel machine, one line each, in functions that no other mutant touches. They were
 * written down before the judges that find them: the measure of how wide the laboratory looks, see
 * docs/simulator.md. `list.mjs` has them with the others.
 */
const one = (name, file, find, replace, story, more = {}) => ({
  name,
  story,
  edits: [{ file: `core/${file}.js`, find, replace }],
  ...more,
})

export const SLIPS = [
  // Voting and standing
  one(
    'a-lie-in-tilt',
    'election/vote',
    'const down = isSdown(group.master) && !isTilted(turn.state);',
    'const down = isSdown(group.master);',
    'A Sentinel in TILT tells others that the master is down.',
    { scenarios: ['the-clock-of-a-candidate-jumps.yml'] },
  ),
  one(
    'no-courtesy-for-the-leader',
    'election/failover-start',
    'return yieldedTo.atMs + 2 * config.failoverTimeoutMs;',
    'return yieldedTo.atMs;',
    'A Sentinel stands at once against the leader it has just voted for.',
  ),
  one(
    'courtesy-for-ever',
    'election/failover-start',
    '2 * config.failoverTimeoutMs;',
    '200 * config.failoverTimeoutMs;',
    'A leader that does nothing is waited for, for minutes.',
    { scenarios: ['a-leader-hangs-when-it-is-elected.yml'] },
  ),
  one(
    'stands-although-it-cannot-save',
    'election/failover-start',
    'return state.canSave && !state.stopping',
    'return !state.stopping',
    'A Sentinel stands for election while its disk keeps nothing.',
    { scenarios: ['a-candidate-cannot-save.yml'] },
  ),
  one(
    'no-back-off',
    'failover/failover-state',
    'group.notBeforeMs = turn.now.monoMs + (stalled ? longMs : growingDelayMs(turn, group, reason));',
    'group.notBeforeMs = turn.now.monoMs;',
    'A failover that came to nothing is begun again at once.',
    { scenarios: ['a-replica-hangs-when-it-is-promoted.yml'] },
  ),
  one(
    'no-stagger',
    'election/failover-start',
    'return before * ROUNDS_APART * roundMs(state, group);',
    'return 0;',
    'All Sentinels stand at the same moment.',
    { scenarios: ['the-master-dies-in-a-calm-cluster.yml'] },
  ),
  one(
    'stands-without-a-replica',
    'election/failover-start',
    'return shortage ?? replicaObstacle(turn, group);',
    'return shortage;',
    'A Sentinel stands although no replica could be promoted.',
  ),
  // The failover
  one(
    'one-more-at-once',
    'failover/reconfigure',
    'busy.length >= group.config.parallelSyncs',
    'busy.length > group.config.parallelSyncs',
    'One replica more than parallel-syncs resynchronises.',
    { scenarios: ['a-master-of-four-replicas-dies-twice.yml'] },
  ),
  one(
    'a-place-is-given-up-too-soon',
    'failover/reconfigure',
    "return (replica.reconf === 'sent' || replica.reconf === 'inprog') && !isSdown(replica);",
    "return replica.reconf === 'sent' && !isSdown(replica);",
    'A replica that has begun to synchronise no longer takes a place of parallel-syncs.',
    { scenarios: ['a-master-of-four-replicas-dies-twice.yml'] },
  ),
  one(
    'a-refusal-is-waited-out',
    'failover/promotion',
    '    else if (!isCoordinated && failover.refusal !== undefined) {\n        passOver(turn, group, failover, promoted);\n    }\n',
    '',
    'A replica that refuses to be promoted is waited for, as one that is slow.',
    { scenarios: ['../../../scenarios/59-a-replica-that-refuses.yml'] },
  ),
  one(
    'a-called-off-handover-leaves-the-pause',
    'failover/failover-state',
    '        callOffHandover(turn, group, failover);\n',
    '',
    'A handover that is called off goes on at the master, and its clients stay paused.',
    { scenarios: ['a-handover-is-called-off.yml'] },
  ),
  one(
    'writes-stay-paused',
    'failover/coordinated-commands',
    "const commands = [...end, ['CLIENT', 'UNPAUSE']];",
    'const commands = [...end];',
    'The handover is ended, and the pause of the writes is not.',
    { scenarios: ['a-handover-is-called-off.yml'] },
  ),
  {
    name: 'a-promotion-that-never-comes',
    story: 'A leader waits twenty times too long for a replica that does not become a master.',
    edits: [
      {
        file: 'core/failover/promotion.js',
        find: 'waitedMs > promoted.group.config.failoverTimeoutMs;',
        replace: 'waitedMs > 20 * promoted.group.config.failoverTimeoutMs;',
      },
      {
        file: 'core/failover/promotion.js',
        find: 'const atMs = failover.stateChangedAtMs + group.config.failoverTimeoutMs + 1;',
        replace:
          'const atMs = failover.stateChangedAtMs + 20 * group.config.failoverTimeoutMs + 1;',
      },
    ],
    scenarios: ['a-replica-hangs-when-it-is-promoted.yml'],
  },
  one(
    'a-promotion-that-is-not-saved',
    'failover/promotion',
    "    enter(turn, failover, 'reconf_slaves');\n    save(turn);\n",
    "    enter(turn, failover, 'reconf_slaves');\n",
    'A promotion is told before it is on disk.',
    { scenarios: ['a-master-of-four-replicas-dies-twice.yml'] },
  ),
  one(
    'news-waits-for-the-next-hello',
    'failover/promotion',
    '    sendHelloToAll(turn, group);\n',
    '',
    'The other Sentinels hear of a promotion with the next periodic hello.',
    { scenarios: ['a-master-of-four-replicas-dies-twice.yml'] },
  ),
  one(
    'an-emptied-replica-is-as-good',
    'failover/selection',
    "    exclude(sieve, ({ guard }) => (guard === undefined ? 'the master has emptied it' : undefined));\n",
    '',
    'After a master came back empty, a replica that it emptied may be promoted.',
    { scenarios: ['an-emptied-replica-has-the-best-priority.yml'] },
  ),
  one(
    'an-emptied-master-goes-on',
    'failover/promotion',
    'const isUseless = master.gray !== undefined || master.emptiedAtMs !== undefined;',
    'const isUseless = master.gray !== undefined;',
    'An emptied master keeps its clients until the failover ends.',
    { scenarios: ['an-emptied-replica-has-the-best-priority.yml'] },
  ),
  one(
    'the-old-master-is-forgotten',
    'failover/switch',
    '...(isStray ? [] : [master])',
    '',
    'After a switch nobody knows the old master.',
    { scenarios: ['a-master-of-four-replicas-dies-twice.yml'] },
  ),
  one(
    'a-switch-from-nowhere',
    'failover/switch',
    "announce(turn, '+switch-master', group, switchWordsInside(turn, group, old, to));",
    "announce(turn, '+switch-master', group, switchWordsInside(turn, group, to, to));",
    'Clients are told a switch from the new master.',
    { scenarios: ['a-master-of-four-replicas-dies-twice.yml'] },
  ),
  // Repairs
  one(
    'false-masters-have-time',
    'failover/repair',
    'const knownFalse = isOldClaim(replica) && hasFreshView(turn, replica.group);',
    'const knownFalse = false;',
    'An old master that comes back stays one for eight seconds.',
    { scenarios: ['a-master-of-four-replicas-dies-twice.yml'] },
  ),
  one(
    'repairs-in-tilt',
    'failover/repair',
    'if (isTilted(turn.state) || group.failover',
    'if (group.failover',
    'A Sentinel in TILT turns nodes.',
  ),
  // What is kept
  one(
    'a-configuration-that-is-not-saved',
    'failover/switch',
    "    save(turn);\n    announce(turn, '+switch-master'",
    "    announce(turn, '+switch-master'",
    'A newer configuration of others is told before it is on disk.',
    { scenarios: ['a-master-of-four-replicas-dies-twice.yml'] },
  ),
  one(
    'an-epoch-that-is-not-saved',
    'election/new-epoch',
    '    turn.state.currentEpoch = epoch;\n    save(turn);\n',
    '    turn.state.currentEpoch = epoch;\n',
    'An epoch of others is passed on before it is on disk.',
  ),
  one(
    'peers-forgotten-on-restart',
    'persistence/save',
    'peers: [...group.peers.values()].filter(({ isProven }) => isProven).map(savedPeer),',
    'peers: [],',
    'A Sentinel that is restarted knows no other: it is a majority by itself.',
    { scenarios: ['a-master-of-four-replicas-dies-twice.yml'] },
  ),
  one(
    'options-forgotten-on-restart',
    'persistence/restore',
    'isSame(file[key], before[key]) ? current[key] : file[key]',
    'file[key]',
    'What SENTINEL SET changed is lost with the process.',
    { scenarios: ['a-master-of-four-replicas-dies-twice.yml'] },
  ),
  one(
    'a-block-forgotten-on-restart',
    'sentinel',
    '    restoreBlock(turn, group, saved);\n',
    '',
    'A restart lifts the block after a failover.',
    { scenarios: ['a-master-of-four-replicas-dies-twice.yml'] },
  ),
  // What operators configured
  one(
    'no-block-after-a-failover',
    'failover/failover',
    "    if (kind === 'automatic')\n        beginBlock(turn, group);",
    "    if (kind === 'forced')\n        beginBlock(turn, group);",
    'The leader does not block the next failover.',
    { scenarios: ['a-master-of-four-replicas-dies-twice.yml'] },
  ),
  one(
    'forgets-what-is-alive',
    'discovery/forget',
    '    if (!isSdown(instance))\n',
    '    if (instance === null)\n',
    'SENTINEL FORGET forgets a Sentinel that is well.',
    { scenarios: ['a-master-of-four-replicas-dies-twice.yml'] },
  ),
  one(
    'forgets-too-soon',
    'discovery/forget',
    'if (turn.now.monoMs - sinceMs < forgetAfterMs)',
    'if (turn.now.monoMs - sinceMs < forgetAfterMs / 4)',
    'An instance is forgotten in a quarter of forget-after.',
    { scenarios: ['a-sentinel-that-is-gone.yml'] },
  ),
  one(
    'the-hook-is-not-asked',
    'election/hook-gate',
    "    if (preFailoverHook === '')\n        return true;",
    '    if (true)\n        return true;',
    'A failover begins without asking the pre-failover hook.',
    { scenarios: ['a-master-of-four-replicas-dies-twice.yml'] },
  ),
]

/**
 * Those that nothing has found yet: 30 drawn seeds, and the scenarios where they should matter. They are kept to show
 * where the laboratory is blind, and hunted by nobody until somebody has made it see.
 */
export const UNSEEN = [
  one(
    'no-second-look-after-a-partition',
    'election/failover-start',
    '    if (untilMs === undefined)\n        beginIfPromising(turn, group);',
    '    if (true)\n        beginIfPromising(turn, group);',
    'After a partition the master is replaced before it could answer.',
  ),
  one(
    'promises-a-vote-it-has-given',
    'election/vote',
    '!canSave || stopping || !isFreeIn(group, epoch))',
    '!canSave || stopping)',
    'Asked first, a Sentinel promises a vote that it has given away.',
  ),
  one(
    'a-promise-is-kept-for-ever',
    'election/pre-vote',
    "return ageMs <= state.config.periods.askMs ? 'yes' : 'none';",
    "return 'yes';",
    'What a peer once promised counts for any later election.',
  ),
  one(
    'an-election-without-end',
    'election/election',
    'return Math.min(turn.state.config.periods.electionTimeoutMs, group.config.failoverTimeoutMs);',
    'return 10 * turn.state.config.periods.electionTimeoutMs;',
    'A candidate that nobody elects waits for minutes.',
  ),
  {
    name: 'a-vote-below-the-configuration',
    story: 'A vote is given in an epoch that is over: its configuration is known already.',
    edits: [
      {
        file: 'core/election/vote.js',
        find: 'epoch > group.leaderEpoch && epoch > group.configEpoch',
        replace: 'epoch > group.leaderEpoch',
      },
      // Candidates that ask first are refused before they ask for a vote.
      {
        file: 'core/election/pre-vote.js',
        find: "    if (votes >= needed)\n        return 'good';\n",
        replace: "    return 'good';\n",
      },
    ],
    scenarios: ['a-request-for-a-vote-arrives-late.yml'],
  },
  one(
    'opinions-of-the-old-master',
    'failover/switch',
    '        peer.masterDown = false;\n',
    '',
    'What peers said of the old master counts against the new one.',
  ),
  one(
    'a-switch-told-twice',
    'discovery/hello-receive',
    'if (isKnown && currentMaster(group) === master) {',
    'if (group === undefined) {',
    'A hello with a newer epoch for the same master is told as a switch.',
  ),
  one(
    'any-other-master-is-false',
    'failover/repair',
    'const knownFalse = isOldClaim(replica) && hasFreshView(turn, replica.group);',
    'const knownFalse = true;',
    'A replica that another Sentinel has just promoted is turned back.',
  ),
  one(
    'a-replica-of-long-ago',
    'failover/selection',
    'return replica.masterLinkDownMs > linkDownLimitMs(turn, replica);',
    'return false;',
    'A replica that lost the master long before it failed is as good as any other.',
  ),
]
