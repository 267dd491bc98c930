# Redis::Fast, on hiredis, over Sentinels: counts on, and says how each attempt ended.
use strict;
use warnings;
use Redis::Fast;
use Time::HiRes qw(sleep time);

my ($key, @places) = @ARGV;
$| = 1;

sub say_outcome { my ($outcome) = @_; $outcome =~ s/\s+/ /g; printf "%.3f %s\n", time * 1000, $outcome; }

my $redis;
while (1) {
  my $done = eval {
    $redis //= Redis::Fast->new(
      sentinels => [@places], service => 'mymaster',
      sentinels_cnx_timeout => 0.5, sentinels_read_timeout => 0.5, cnx_timeout => 0.5, read_timeout => 1);
    $redis->incr($key);
    1;
  };
  if ($done) { say_outcome('+'); }
  else { say_outcome("-$@"); $redis = undef; sleep 0.02; }
  sleep 0.002;
}
