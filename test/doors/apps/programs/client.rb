# redis-rb over Sentinels: `use` prints what it got, `work` writes on.
require 'io/wait'
require 'json'
require 'redis'

TASK, *PORTS = ARGV
$stdout.sync = true

def client(role = :master)
  sentinels = PORTS.map { |port| { host: '127.0.0.1', port: port.to_i } }
  Redis.new(url: 'redis://mymaster', sentinels: sentinels, role: role, timeout: 1, reconnect_attempts: 0)
end

def said
  yield
rescue Redis::BaseError => e
  "#{e.class}: #{e.message}"
end

def listen(redis)
  heard = []
  teller = Thread.new { sleep 0.01 until heard.size == 1; client.publish('news', 'hello') }
  redis.subscribe_with_timeout(5, 'news') do |on|
    on.subscribe { |channel, count| heard << [channel, count] }
    on.message { |channel, text| heard << [channel, text]; redis.unsubscribe }
  end
  teller.join
  heard
end

def use(redis)
  binary = (0..255).map(&:chr).join.b
  {
    binary: said { redis.set(binary, binary * 10_000); redis.get(binary).b == binary * 10_000 },
    pipeline: said { redis.pipelined { |pipe| 5_000.times { |n| pipe.incrby('rb:sum', n) } }.last },
    multi: said { redis.multi { |tx| tx.set('rb:n', 1); tx.incr('rb:n'); tx.lpush('rb:l', %w[a b]) } },
    broken: said { redis.watch('rb:n') { client.incr('rb:n'); redis.multi { |tx| tx.incr('rb:n') } } },
    script: said { redis.evalsha(redis.script(:load, 'return {KEYS[1], ARGV[1], false}'), ['k'], ['v']) },
    missing: said { redis.evalsha('0' * 40) },
    error: said { redis.incr('rb:l') },
    blocking: said { [redis.blpop('rb:none', 'rb:l', timeout: 1), redis.brpop('rb:none', timeout: 0.1)] },
    stream: said { [redis.xadd('rb:x', { a: 1 }, id: '1-1'), redis.xread('rb:x', '0')] },
    scan: said { redis.scan_each(match: 'rb:*', count: 2).to_a.sort },
    news: said { listen(redis) },
    replica: said { [client(:slave).role.first, client(:slave).set('rb:n', 1)] },
  }
end

def work(redis)
  kept = 0
  until $stdin.wait_readable(0.01)
    begin
      number = redis.incr('rb:count')
      puts "counted #{number} after #{kept}" if number <= kept
      kept = number if redis.wait(1, 500).positive?
      puts 'done'
    rescue Redis::BaseError
      # The next round asks a Sentinel again.
    end
  end
end

TASK == 'use' ? puts(JSON.generate(use(client))) : work(client)
