"""redis-py over Sentinels, as docs/clients.md sets it up: counts on, and says how each attempt ended."""

import sys
import time

import redis
from redis.sentinel import Sentinel


def say(outcome):
    print(f"{time.time() * 1000:.3f} {outcome}", flush=True)


key, *places = sys.argv[1:]
hosts = [(host, int(port)) for host, port in (place.split(":") for place in places)]
client = Sentinel(hosts, socket_timeout=0.5).master_for("mymaster", socket_timeout=1.0)
while True:
    try:
        client.incr(key)
        say("+")
    except redis.RedisError as failure:
        say(f"-{type(failure).__name__}")
        time.sleep(0.02)
    time.sleep(0.002)
