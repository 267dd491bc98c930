# Jobs of Sidekiq, for its own program and for those that hand them in. Each done job leaves its number in Redis.
require 'sidekiq'

SENTINELS = ENV.fetch('SENTINELS').split(',').map { |port| { host: '127.0.0.1', port: port.to_i } }
PLACE = { url: 'redis://mymaster', sentinels: SENTINELS, role: :master, timeout: 1 }.freeze

Sidekiq.configure_server do |config|
  config.redis = PLACE
  # Otherwise it looks for delayed jobs after ten seconds for the first time.
  config.options[:poll_interval_average] = 0.2
  config.logger.level = Logger::FATAL
  config.on(:startup) { Sidekiq.redis { |redis| redis.sadd?('sidekiq:up', Process.pid) } }
end
Sidekiq.configure_client { |config| config.redis = PLACE }

class Job
  include Sidekiq::Worker
  sidekiq_options retry: 5

  def perform(kind, number)
    note(kind, number)
    raise 'on purpose' if kind == 'fails'
  end

  # Sidekiq cannot keep a job for later, either, while there is no master: the job itself has to go on.
  def note(kind, number)
    Sidekiq.redis { |redis| redis.sadd?("sidekiq:#{kind}", number) }
  rescue Redis::BaseError
    sleep 0.05
    retry
  end
end
