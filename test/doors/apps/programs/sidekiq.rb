# Sidekiq over Sentinels: `use` has every kind of job done, `work` hands jobs in and has them done all the time.
require 'io/wait'
require 'json'

task, *ports = ARGV
ENV['SENTINELS'] = ports.join(',')
require_relative 'sidekiq_jobs'
require 'sidekiq/api'
$stdout.sync = true

JOBS = File.join(__dir__, 'sidekiq_jobs.rb')
def stop_worker
  Process.kill('KILL', $worker)
  Process.wait($worker)
rescue SystemCallError
  # It has ended by itself.
end
at_exit { stop_worker }

def count(kind)
  Sidekiq.redis { |redis| redis.scard("sidekiq:#{kind}") }
rescue Redis::BaseError
  0
end

def wait_for(seconds)
  give_up = Process.clock_gettime(Process::CLOCK_MONOTONIC) + seconds
  sleep 0.02 until yield || Process.clock_gettime(Process::CLOCK_MONOTONIC) > give_up
end

# The master may die meanwhile.
def up?
  Sidekiq.redis { |redis| redis.sismember('sidekiq:up', $worker) }
rescue Redis::BaseError
  false
end

# It gives up at its start when the machine is too busy to answer it in time; what starts services starts it again.
def start_worker
  20.times do
    $worker = spawn('sidekiq', '-r', JOBS, '-c', '2', '-t', '2', %i[out err] => File::NULL)
    wait_for(10) { up? || Process.wait($worker, Process::WNOHANG) }
    return if up?

    stop_worker
  end
end

def use
  Job.perform_async('now', 1)
  Job.perform_in(0.1, 'later', 2)
  Sidekiq::Client.push_bulk('class' => Job, 'args' => (1..200).map { |n| ['bulk', n] })
  Job.perform_async('fails', 3)
  wait_for(15) { [count('now'), count('later'), count('bulk')] == [1, 1, 200] && Sidekiq::RetrySet.new.size == 1 }
  facts = %w[now later bulk fails].to_h { |kind| [kind, count(kind)] }
  stats = Sidekiq::Stats.new
  facts.merge(
    waiting: stats.enqueued, failed: stats.failed, queues: stats.queues, processes: Sidekiq::ProcessSet.new.size,
    retry: Sidekiq::RetrySet.new.map { |job| [job.klass, job.args, job['error_message']] }
  )
end

# A job counts once a replica has it: of what the dead master alone had nothing is claimed.
def work
  handed_in = 0
  until $stdin.wait_readable(0.02)
    begin
      Job.perform_async('work', handed_in + 1)
      kept = Sidekiq.redis { |redis| redis.wait(1, 500) }
      handed_in += 1 if kept.positive?
      puts 'done' if kept.positive?
    rescue Redis::BaseError
      # Handed in again in the next round.
    end
  end
  wait_for(4) { count('work') >= handed_in }
  puts "#{count('work')} of #{handed_in} jobs were done" if count('work') < handed_in
end

start_worker
task == 'use' ? puts(JSON.generate(use)) : work
