/** Webdis: Redis by HTTP, on hiredis' asynchronous side. It knows no Sentinel, and asks one node. */
import { spawn } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePorts, type Program, until } from '../../support/processes.ts'
import type { Application } from './application.ts'

const REQUESTS = [
  'SET/webdis/value',
  'GET/webdis',
  'GET/none',
  'INCR/webdis',
  'LPUSH/webdis-list/a/b/c',
  'LRANGE/webdis-list/0/-1',
  'HSET/webdis-hash/a/1/b/2',
  'HGETALL/webdis-hash',
  'ZADD/webdis-zset/1.5/one',
  'ZRANGE/webdis-zset/0/-1/WITHSCORES',
  'EVAL/return%20{1,{2,"three"}}/0',
  'TYPE/webdis-hash.raw',
  'GET/webdis.txt',
  'NO-SUCH-COMMAND/x',
]

export const webdis: Application = {
  name: 'Webdis',
  // Whatever it is asked on its command line, it serves.
  missing: existsSync('/usr/bin/webdis') ? undefined : 'webdis',
  async use({ cluster }) {
    const [{ port: redisPort }] = cluster.nodes as [Program]
    const [port = 0] = await freePorts(1)
    const path = join(cluster.folder, 'webdis.json')
    const hosts = {
      redis_host: '127.0.0.1',
      redis_port: redisPort,
      http_host: '127.0.0.1',
      http_port: port,
    }
    const logfile = join(cluster.folder, 'webdis.log')
    writeFileSync(
      path,
      JSON.stringify({ ...hosts, threads: 2, pool_size: 5, daemonize: false, logfile }),
    )
    const child = spawn('webdis', [path], { stdio: 'ignore' })
    const ask = async (words: string) => (await fetch(`http://127.0.0.1:${port}/${words}`)).text()
    try {
      await until('Webdis answers', 10_000, async () => (await ask('PING')).includes('PONG'))
      const answers: string[] = []
      for (const words of REQUESTS) answers.push(await ask(words))
      return answers
    } finally {
      child.kill('SIGKILL')
    }
  },
}
