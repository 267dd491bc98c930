<?php
// phpredis over Sentinels: `use` prints what it got, `work` writes on.

const HOST = '127.0.0.1';

function master(array $ports): Redis {
  foreach ($ports as $port) {
    try {
      $sentinel = new RedisSentinel(HOST, (int) $port, 0.5);
      $address = $sentinel->getMasterAddrByName('mymaster');
      if (!$address) continue;
      $redis = new Redis();
      if ($redis->connect($address[0], (int) $address[1], 0.5, null, 0, 1.0)) return $redis;
    } catch (RedisException $e) {
      continue;
    }
  }
  throw new RedisException('no master');
}

function uses(Redis $redis, array $ports): array {
  $address = $redis->getHost() . ':' . $redis->getPort();
  return [
    'strings' => [$redis->set('a', 'ä', ['ex' => 100]), $redis->get('a'), $redis->get('none'), $redis->ttl('a')],
    'transaction' => $redis->multi()->incr('n')->hSet('h', 'f', 'v')->hGetAll('h')->exec(),
    'pipeline' => $redis->pipeline()->lPush('l', '1', '2', '3')->lRange('l', 0, -1)->exec(),
    'zset' => [$redis->zAdd('z', 1, 'one', 2.5, 'two'), $redis->zRange('z', 0, -1, true)],
    'script' => [$redis->eval('return {KEYS[1], ARGV[1], 1.9, false}', ['k', 'v'], 1), $redis->getLastError()],
    'error' => [$redis->lPush('a', 'x'), $redis->getLastError()],
    'scan' => scanned($redis),
    'stream' => [
      $redis->xAdd('s', '1-1', ['a' => '1']),
      $redis->xGroup('CREATE', 's', 'g', '0'),
      $redis->xReadGroup('g', 'me', ['s' => '>']),
      $redis->xAck('s', 'g', ['1-1']),
    ],
    'raw' => $redis->rawCommand('LPOS', 'l', '2'),
    'role' => $redis->info('replication')['role'],
    'session' => session($address),
    'sentinel' => array_map(fn($port) => (new RedisSentinel(HOST, (int) $port))->ping(), $ports),
  ];
}

function scanned(Redis $redis): array {
  $redis->setOption(Redis::OPT_SCAN, Redis::SCAN_RETRY);
  $found = [];
  $iterator = null;
  while ($keys = $redis->scan($iterator, '?')) array_push($found, ...$keys);
  sort($found);
  return array_values(array_unique($found));
}

/** PHP's own sessions, with locks, written and read again. */
function session(string $address): array {
  ini_set('session.save_handler', 'redis');
  ini_set('session.save_path', "tcp://$address?timeout=1");
  ini_set('redis.session.locking_enabled', '1');
  ini_set('session.use_cookies', '0');
  ini_set('session.cache_limiter', '');
  session_id('abcdef');
  session_start();
  $_SESSION['visits'] = 7;
  session_write_close();
  session_start();
  $visits = $_SESSION['visits'];
  session_destroy();
  return [$visits, session_status()];
}

function works(array $ports): void {
  stream_set_blocking(STDIN, false);
  $redis = null;
  $kept = 0;
  while (fgets(STDIN) === false) {
    try {
      $redis ??= master($ports);
      $number = $redis->incr('php:count');
      if ($number === false) throw new RedisException('refused');
      if ($number <= $kept) print json_encode("counted $number after $kept") . "\n";
      if ($redis->rawCommand('WAIT', '1', '500') > 0) $kept = $number;
      print "done\n";
    } catch (RedisException $e) {
      $redis = null;
    }
    usleep(10000);
  }
}

[$program, $task] = $argv;
$ports = array_slice($argv, 2);
if ($task === 'use') print json_encode(uses(master($ports), $ports));
else works($ports);
