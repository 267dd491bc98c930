"""redis-py (with hiredis, if it is installed) over Sentinels: `use` prints what it got, `work` writes on."""

import json
import sys
import threading
import time

import redis
from redis.sentinel import Sentinel

HOST = "127.0.0.1"


def shown(value):
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if isinstance(value, dict):
        return sorted([shown(key), shown(item)] for key, item in value.items())
    if isinstance(value, set):
        return sorted(shown(item) for item in value)
    if isinstance(value, (list, tuple)):
        return [shown(item) for item in value]
    return value if isinstance(value, (str, int, float, bool, type(None))) else type(value).__name__


def use(client):
    def pipeline():
        with client.pipeline() as pipe:
            pipe.watch("watched")
            pipe.multi()
            pipe.set("watched", 1).incr("watched").get("watched").lpush("list", "a", "b")
            return pipe.execute()

    def broken():
        with client.pipeline() as pipe:
            pipe.watch("watched")
            client.set("watched", "by another")
            pipe.multi()
            pipe.set("watched", 2)
            return pipe.execute()

    def script():
        add = client.register_script("return redis.call('INCRBY', KEYS[1], ARGV[1])")
        client.script_flush()
        return [add(keys=["sum"], args=[5]), add(keys=["sum"], args=[6])]

    def lock():
        one, two = client.lock("lock", timeout=5), client.lock("lock", blocking=False)
        return [one.acquire(), two.acquire(), one.reacquire(), one.release(), two.acquire()]

    def subscriber():
        with client.pubsub() as listener:
            listener.subscribe("news")
            listener.psubscribe("n*")
            got = [listener.get_message(timeout=5) for _ in range(2)]
            client.publish("news", "hello")
            return got + [listener.get_message(timeout=5) for _ in range(2)]

    def stream():
        client.xadd("stream", {"a": 1}, id="1-1")
        client.xadd("stream", {"b": 2}, id="1-2")
        client.xgroup_create("stream", "group", id="0")
        got = client.xreadgroup("group", "me", {"stream": ">"}, count=1)
        return [got, client.xack("stream", "group", "1-1"), client.xpending("stream", "group"),
                client.xinfo_stream("stream")["length"]]

    def collections():
        client.hset("hash", mapping={"a": 1, "b": "ä"})
        client.zadd("zset", {"one": 1, "two": 2.5})
        client.geoadd("geo", (13.361389, 38.115556, "Palermo"))
        return [client.hgetall("hash"), client.zrange("zset", 0, -1, withscores=True),
                client.geosearch("geo", longitude=13, latitude=38, radius=200, unit="km"),
                sorted(client.scan_iter("*", count=2)), client.object("encoding", "hash"),
                client.bitcount("watched"), client.sort("list", alpha=True)]

    def server():
        client.config_set("slowlog-max-len", 100)
        return [client.config_get("slowlog-max-len"), client.client_setname("me"), client.client_getname(),
                client.time()[0] > 0, client.info("replication")["role"], client.command_count() > 200,
                client.acl_whoami(), client.role()[0], client.memory_usage("sum") > 0]

    def error():
        return client.incr("hash")

    facts = {}
    for part in (pipeline, broken, script, lock, subscriber, stream, collections, server, error):
        try:
            facts[part.__name__] = shown(part())
        except redis.RedisError as failure:
            facts[part.__name__] = f"{type(failure).__name__}: {failure}"
    print(json.dumps(facts))


def work(client):
    is_over = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.readline(), is_over.set()), daemon=True).start()
    kept, number = 0, 0
    while not is_over.is_set():
        try:
            number = client.incr("python:count")
            if number <= kept:
                print(json.dumps(f"counted {number} after {kept}"), flush=True)
            with client.pipeline(transaction=False) as pipe:
                if pipe.lpush("python:list", number).wait(1, 500).execute()[1] > 0:
                    kept = number
            print("done", flush=True)
        except redis.RedisError:
            pass
        time.sleep(0.01)


def main():
    task, *ports = sys.argv[1:]
    sentinel = Sentinel([(HOST, int(port)) for port in ports], socket_timeout=0.5)
    client = sentinel.master_for("mymaster", socket_timeout=1.0)
    use(client) if task == "use" else work(client)


main()
