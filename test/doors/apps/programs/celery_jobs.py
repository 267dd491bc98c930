"""Celery with broker and results over Sentinels: `use` has every kind of job done, `work` one job after the other."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading

import redis
from celery import Celery, chain, chord, exceptions, group
from kombu.exceptions import OperationalError

URL = ";".join(f"sentinel://127.0.0.1:{port}/0" for port in os.environ["SENTINELS"].split(","))
OPTIONS = {"master_name": "mymaster", "socket_timeout": 1.0, "socket_connect_timeout": 0.5}

app = Celery("celery_jobs", broker=URL, backend=URL)
app.conf.update(
    broker_transport_options={**OPTIONS, "visibility_timeout": 60},
    result_backend_transport_options=OPTIONS,
    redis_socket_timeout=1.0,
    broker_connection_max_retries=None,
    worker_send_task_events=False,
)


@app.task
def add(one, other):
    return one + other


@app.task
def total(numbers):
    return sum(numbers)


@app.task(bind=True, max_retries=3)
def flaky(self, value):
    if self.request.retries < 2:
        raise self.retry(countdown=0.05)
    return value


@app.task
def fail():
    raise ValueError("on purpose")


def said(ask):
    try:
        return ask()
    except Exception as failure:  # what the job raised comes back here
        return f"{type(failure).__name__}: {failure}"


def revoked():
    job = add.apply_async((1, 1), countdown=1)
    job.revoke()
    return job.get(timeout=5)


def use():
    print(json.dumps({
        "one": said(lambda: add.delay(1, 2).get(timeout=10)),
        "group": said(lambda: group(add.s(n, n) for n in range(20))().get(timeout=10)),
        "chord": said(lambda: chord((add.s(n, 1) for n in range(10)), total.s())().get(timeout=10)),
        "chain": said(lambda: chain(add.s(1, 2), add.s(3), add.s(4))().get(timeout=10)),
        "retried": said(lambda: flaky.delay(5).get(timeout=10)),
        "failed": said(lambda: fail.delay().get(timeout=10)),
        "later": said(lambda: add.apply_async((1, 1), countdown=0.2).get(timeout=10)),
        "ranked": said(lambda: [add.apply_async((n, 1), priority=n).get(timeout=10) for n in (0, 3, 9)]),
        "large": said(lambda: total.delay([1] * 100_000).get(timeout=10)),
        "revoked": said(revoked),
        "workers": said(lambda: len(app.control.ping(timeout=0.5))),
    }))


def work():
    is_over = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.readline(), is_over.set()), daemon=True).start()
    number = 0
    while not is_over.is_set():
        number += 1
        # A worker that loses its master loses a job that it has taken and not yet noted: handed in again.
        try:
            answer = add.apply_async((number, 1), retry=False).get(timeout=1)
            print("done" if answer == number + 1 else json.dumps(f"{number} + 1 is {answer}"), flush=True)
        except (exceptions.TimeoutError, OperationalError, redis.RedisError):
            is_over.wait(0.05)


def start_worker(folder):
    command = [sys.executable, "-m", "celery", "-A", "celery_jobs", "worker", "-c", "1", "--without-mingle"]
    return subprocess.Popen(command, cwd=os.path.dirname(os.path.abspath(__file__)), stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
                            env={**os.environ, "TMPDIR": folder})


def main():
    with tempfile.TemporaryDirectory() as folder:
        worker = start_worker(folder)
        try:
            use() if sys.argv[1] == "use" else work()
            if worker.poll() is not None:
                print(json.dumps(f"the worker has ended with {worker.returncode}"))
        finally:
            os.killpg(worker.pid, signal.SIGKILL)
            worker.wait()
    sys.stdout.flush()
    os._exit(0)  # threads of the result backend may wait for a master that is gone


if __name__ == "__main__":
    main()
