#!/usr/bin/env node
/**
 * `vedette-sentinel`: `vedette sentinel` with the command line of redis-sentinel, for unit files
 * and scripts.
 */
import { runRedisProgram } from './daemon/redis-program.ts'

const HELP = `Usage: vedette-sentinel /path/to/sentinel.conf [options] [-]
       vedette-sentinel -v or --version
       vedette-sentinel -h or --help

The file may be a sentinel.yml as well. It is never written: what the Sentinel learns goes to a state
file in its dir (by default the folder of the file). A last word of - reads more lines from stdin.

Examples:
       vedette-sentinel /etc/redis/sentinel.conf
       vedette-sentinel /etc/redis/sentinel.conf --port 26380 --loglevel verbose`

// Not awaited: a bundle cannot wait while its modules load, and nothing follows it.
void runRedisProgram(process.argv.slice(2), HELP, async (given) => {
  return (await import('./sentinel/sentinel.ts')).runSentinel(given)
})
