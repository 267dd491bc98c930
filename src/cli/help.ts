/** The longer part of each program's help: how it is used, an example, and what its exit status means. */

export const UP_HELP = `
Every node and every Sentinel is a process of its own. Ctrl-C ends them all. On a terminal there is
a live view, and these keys: k kill the master, p pause it, c cut it off from the rest, b bring it
back, w start or stop a client that writes all the time, q quit.

Example:
  vedette up --replicas 2 --sentinels 3 --port 7000
  redis-cli -p 7100 sentinel get-master-addr-by-name mymaster

Exit status: 0 ended on request, 1 could not start, 2 wrong options or configuration.`

export const SENTINEL_HELP = `
FILE is a sentinel.yml, or a sentinel.conf as redis-sentinel takes it. It is never written: what the
Sentinel learns goes to a state file in its state-dir (by default the folder of FILE).
Directives on the command line override the file, as with Redis: --port 26380 --loglevel debug. A last
word of - reads more lines of a sentinel.conf from standard input. SIGHUP reads all of it again.

Example:
  vedette sentinel /etc/vedette/sentinel.yml --port 26380

Exit status: 0 stopped on request (with daemonize yes: it runs), 1 could not start, failed or a wrong
sentinel.conf, 2 a wrong sentinel.yml.`

export const SERVER_HELP = `
Arguments are those of redis-server: a redis.conf if the first one does not begin with --, then
directives that override it. The file is never written: what CONFIG REWRITE keeps goes to a file
beside it, <redis.conf>.learnt, which is read after it; delete that file to go back to redis.conf.

Example:
  vedette server redis.conf --port 7000 --replicaof 127.0.0.1 6379

Exit status: 0 stopped on request, 1 wrong configuration, could not start, or failed.`

export const CHECK_HELP = `
Says what is wrong with a sentinel.yml, sentinel.conf or redis.conf, what is unwise about it (a node that
keeps nothing, a dump that will not be loaded, rights that are missing), and what has no effect.

Example:
  vedette check sentinel.yml
  vedette check sentinel.conf --json
  vedette check /etc/redis/redis.conf

Exit status: 0 it can be used (warnings may have been shown), 2 it cannot.`

export const EXPORT_CONF_HELP = `
Writes what FILE says and what the Sentinel has learnt since, as redis-sentinel writes it: current
masters, known replicas and Sentinels, epochs, its id, changed options, users. Beside a running
Sentinel it reads the state that was saved last. What Redis 7.0 could not keep is refused in words.

Example:
  vedette export-conf /etc/redis/sentinel.conf --out /tmp/sentinel.conf
  vedette export-conf sentinel.yml --state /var/lib/vedette/sentinel-26379.state

Exit status: 0 written, 1 it cannot be written or said, 2 wrong configuration.`

export const SCENARIO_HELP = `
Engines: sim runs on virtual time, and a seed decides everything; tcp runs on real sockets in this
process; process gives every node a process and a network of its own, which needs root, and with
--against redis or mixed plays the same file against the redis-server and redis-sentinel installed
here. What an engine cannot do it says, and the scenario counts as skipped.

Example:
  vedette scenario run scenarios/*.yml --seed 42
  vedette scenario run scenarios/01-master-killed.yml --seeds 1..50 --brief
  vedette scenario run scenarios/01-master-killed.yml --report pages

Exit status: 0 every expectation held (what was skipped is named), 1 one did not, 2 a scenario file
or the command line is wrong.`

export const FUZZ_HELP = `
Each seed stands for a cluster, its load and its faults, and for everything chance decides while they
are played on virtual time. After some time of faults everything is healed, and the cluster has to
come to rest and to take writes again. What fails is made small and written as a scenario file.
With --profile noise the cluster is healthy and only the network is not: 5 % loss, jitter up to half of
down-after, hangs and cuts up to down-after less a tenth, resets, restarts faster than refused-after.
Whatever tries to fail over then fails the seed; each is played with both modes of detection.
With --minutes and no last seed it goes on with new seeds until the time is over.

Example:
  vedette fuzz --seeds 1..1000
  vedette fuzz --seeds 5000.. --minutes 10 --stop-at-first
  vedette fuzz --profile noise --seeds 1..2000 --json
  vedette fuzz --seeds 7 --print > seed-7.yml && vedette scenario run seed-7.yml --seed 7

Exit status: 0 nothing failed, 1 something did, 2 the command line is wrong, 130 ended with Ctrl-C.`

export const SIMULATE_HELP = `
Builds the cluster your files describe (masters, rules, and what a Sentinel has learnt of replicas
and other Sentinels), assumes the rest and says so, and plays random histories against it on virtual
time: crashes, restarts, power cuts, hangs, partitions, slow networks. What a node still has when it
comes back its redis.conf decides (save, appendonly, appendfsync). Tells how long it took to notice and
to recover, how many acknowledged writes were lost, which failovers were needless or did not come, and
which setting is the cause. With --compare or --compare-server both configurations meet the same.

Example:
  vedette simulate /etc/redis/sentinel.conf --server /etc/redis/redis.conf --sentinels 3
  vedette simulate sentinel.yml --profile cross-zone --compare faster.yml
  vedette simulate sentinel.yml --seed 17 --write seed-17.yml

Exit status: 0 done, 1 a history could not be played, 2 a configuration or the command line is
wrong, 130 ended with Ctrl-C, after telling what there was.`

export const STATUS_HELP = `
Asks one Sentinel, then all the others it knows, Vedette's and Redis' alike, and holds their answers
against each other: who is the master, who is down for whom, could a failover be authorized now, do
their settings agree, and why does an instance turn a Sentinel away.

Example:
  vedette status
  vedette status mymaster --sentinel 10.0.0.1:26379 --watch
  REDISCLI_AUTH=secret vedette status --json | jq .health

Exit status: 0 all is well, 1 something needs attention, 2 the command line is wrong, 3 a group has no
master all agree on, or could not be failed over now, 4 no Sentinel answered.`

export const FAILOVER_HELP = `
Asks a Sentinel to promote the best replica now, as SENTINEL FAILOVER does. What the master has
acknowledged and not yet replicated is lost; with --coordinated the master itself pauses its clients,
waits for the replica and hands over, so that nothing is (the master must know FAILOVER: 6.2 or newer).

Example:
  vedette failover mymaster --coordinated --wait
  vedette failover mymaster --sentinel 10.0.0.1:26379 --sentinel 10.0.0.2:26379

Exit status: 0 done, or begun without --wait, 1 refused, given up or not complete in time, 2 the
command line is wrong, 4 no Sentinel answered.`

export const LEDGER_SHOW_HELP = `
A data node that has to become a copy of its master writes down what the master never had, before it
throws it away: lost-writes-*.ledger in its dir. This shows who wrote it, why, and each command, with
its database in brackets. What is long is cut; --json has all of it, one character for each byte.

Example:
  vedette ledger show /var/lib/redis/lost-writes-8f3a01c2-1042-1700000000123.ledger

Exit status: 0 shown, 1 it cannot be read or is damaged, 2 the command line is wrong.`

export const LEDGER_REPLAY_HELP = `
Sends the commands of a ledger to a server, in their order and to their databases. They are older than
what the server was told since, and may undo it: --dry-run shows them, and which of their keys the
server has now. With --only-missing-keys all that touches such a key is left out. That it was sent is
noted beside the ledger (.replayed), and a second time is refused without --again.

Example:
  vedette ledger replay lost-writes-8f3a01c2-1042-1700000000123.ledger --to 10.0.0.2:6379 --dry-run
  vedette ledger replay lost-writes-8f3a01c2-1042-1700000000123.ledger --to 10.0.0.2:6379 --yes

Exit status: 0 all were accepted, or shown, 1 some were refused, or the file is damaged, 2 the command
line is wrong, neither --yes nor --dry-run was given, or it was sent before, 4 the server does not answer.`
