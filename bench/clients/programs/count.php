<?php
// phpredis, over Sentinels or at one plain address, as docs/clients.md sets it up: counts on, and says how each attempt ended.

[$program, $way, $key] = $argv;
$places = array_slice($argv, 3);

function say(string $outcome): void {
  printf("%.3f %s\n", microtime(true) * 1000, str_replace("\n", ' ', $outcome));
}

function opened(string $host, int $port): Redis {
  $redis = new Redis();
  if (!$redis->connect($host, $port, 0.5, null, 0, 1.0)) throw new RedisException('no connection');
  return $redis;
}

function master(array $places): Redis {
  foreach ($places as $place) {
    try {
      [$host, $port] = explode(':', $place);
      $address = (new RedisSentinel($host, (int) $port, 0.5, null, 0, 0.5))->getMasterAddrByName('mymaster');
      if ($address) return opened($address[0], (int) $address[1]);
    } catch (RedisException $e) {
      continue;
    }
  }
  throw new RedisException('no master');
}

function plain(array $places): Redis {
  [$host, $port] = explode(':', $places[0]);
  return opened($host, (int) $port);
}

$redis = null;
while (true) {
  try {
    $redis ??= $way === 'plain' ? plain($places) : master($places);
    // An error that a server answers throws nothing by itself.
    if ($redis->incr($key) === false) throw new RedisException((string) $redis->getLastError());
    say('+');
  } catch (RedisException $e) {
    $redis = null;
    say('-' . $e->getMessage());
    usleep(20000);
  }
  usleep(2000);
}
