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
Directives on the command line override the file, as with Redis: --port 26380 --loglevel debug.

Example:
  vedette sentinel /etc/vedette/sentinel.yml --port 26380

Exit status: 0 stopped on request, 1 could not start or failed, 2 wrong configuration.`

export const SERVER_HELP = `
Arguments are those of redis-server: a redis.conf if the first one does not begin with --, then
directives that override it. The file is never written: what CONFIG REWRITE keeps goes to a file
beside it, <redis.conf>.learnt, which is read after it; delete that file to go back to redis.conf.

Example:
  vedette server redis.conf --port 7000 --replicaof 127.0.0.1 6379

Exit status: 0 stopped on request, 1 wrong configuration, could not start, or failed.`

export const CHECK_HELP = `
Example:
  vedette check sentinel.yml
  vedette check sentinel.conf --json

Exit status: 0 it can be used (warnings may have been shown), 2 it cannot.`

export const SCENARIO_HELP = `
Example:
  vedette scenario run scenarios/*.yml --seed 42

Exit status: 0 every expectation held, 1 one did not, 2 a scenario file is wrong.`
