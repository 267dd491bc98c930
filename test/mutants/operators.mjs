/** Faults in what outlasts the orders of operators. Seeds of `--profile operators` show them. */
const GROUPS = 'core/groups.js'

export const OPERATOR_MUTANTS = [
  {
    name: 'monitor-forgets-the-votes',
    story: 'A group that is removed and monitored again may be given the same votes again.',
    edits: [
      { file: GROUPS, find: 'leaderEpoch: turn.state.currentEpoch,', replace: 'leaderEpoch: 0,' },
    ],
  },
  {
    name: 'reset-forgets-the-promotion',
    story: 'RESET goes back to the old master, under the epoch of the one that has been promoted.',
    edits: [{ file: GROUPS, find: 'if (current !== group.master)\n', replace: 'if (false)\n' }],
  },
  {
    name: 'the-master-of-another-group-is-turned',
    story: 'What lives at the place of a replica is told to follow, whosever master it is.',
    edits: [
      {
        file: 'core/failover/foreign.js',
        find: 'if (hasSaidSo(replica) && !isMasterOfItsOwn(replica))\n',
        replace: 'if (true)\n',
      },
    ],
  },
  {
    name: 'orders-need-no-memory',
    story: 'An order that needs votes is carried out while our own vote cannot be saved.',
    edits: [
      {
        file: 'core/commands/sentinel-failover.js',
        find: 'if (!canSave && needsVotes(group, kind))\n',
        replace: 'if (false)\n',
      },
    ],
  },
  {
    name: 'a-group-added-again-ends-with-the-process',
    story: 'A group of the file that was removed and monitored again is not there after a restart.',
    edits: [
      {
        file: 'core/persistence/restore.js',
        find: 'new Set(wanted.map((file) => file.name))',
        replace: 'new Set(configured.map((file) => file.name))',
      },
    ],
  },
  {
    name: 'a-name-and-its-address-are-two-nodes',
    story:
      'Hosts are compared as texts: a node that is known by its name and by its address is two.',
    edits: [
      {
        file: 'core/names/names.js',
        find: '    return hostIdentity(state, a) === hostIdentity(state, b);\n',
        replace: '    return false;\n',
      },
    ],
  },
].map((mutant) => ({ ...mutant, profile: 'operators' }))
