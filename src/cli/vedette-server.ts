#!/usr/bin/env node
/**
 * `vedette-server`: `vedette server` with the command line of redis-server, for unit files and
 * scripts.
 */
import { runRedisProgram } from './daemon/redis-program.ts'

const HELP = `Usage: vedette-server [/path/to/redis.conf] [options] [-]
       vedette-server - (read config from stdin)
       vedette-server -v or --version
       vedette-server -h or --help

The file is never written: what CONFIG REWRITE keeps goes to a file beside it, <redis.conf>.learnt.

Examples:
       vedette-server (run the server with default conf)
       echo 'maxclients 100' | vedette-server -
       vedette-server /etc/redis/redis.conf
       vedette-server --port 7777 --replicaof 127.0.0.1 8888
       vedette-server /etc/redis/redis.conf --loglevel verbose

Sentinel mode:
       vedette-server /etc/redis/sentinel.conf --sentinel`

// Not awaited: a bundle cannot wait while its modules load, and nothing follows it.
void runRedisProgram(process.argv.slice(2), HELP, async (given) => {
  return given.overrides.includes('--sentinel')
    ? (await import('./sentinel/sentinel.ts')).runSentinel(given)
    : (await import('./server/server.ts')).runServer(given)
})
