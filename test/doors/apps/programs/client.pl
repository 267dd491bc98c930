# Redis::Fast, on hiredis, over Sentinels: `use` prints what it got, `work` writes on.
use strict;
use warnings;
use IO::Select;
use JSON::PP;
use Redis::Fast;

my ($task, @ports) = @ARGV;
$| = 1;

sub client {
  return Redis::Fast->new(
    sentinels => [map { "127.0.0.1:$_" } @ports], service => 'mymaster',
    sentinels_cnx_timeout => 0.5, cnx_timeout => 0.5, read_timeout => 2, @_);
}

sub said { my ($code) = @_; my @got = eval { $code->() }; return $@ ? ($@ =~ /\[\w+\] ([^,]+)/)[0] : \@got; }

if ($task eq 'use') {
  my $redis = client();
  my @pushed;
  $redis->set("perl:$_", $_, sub { push @pushed, $_[0] }) for 1 .. 50;
  $redis->wait_all_responses;
  print encode_json({
    pipelined => \@pushed,
    get => said(sub { $redis->mget('perl:1', 'perl:50', 'perl:51') }),
    multi => said(sub { $redis->multi; $redis->incr('perl:n'); $redis->lpush('perl:l', 1, 2); $redis->exec }),
    hash => said(sub { $redis->hset('perl:h', 'a', 1); my %h = $redis->hgetall('perl:h'); $h{a} }),
    eval => said(sub { $redis->eval("return {1, 'two', {3}}", 0) }),
    error => said(sub { $redis->incr('perl:h') }),
    keys => [sort @{said(sub { $redis->keys('perl:?') })}],
    role => said(sub { $redis->info('replication')->{role} }),
  });
} else {
  my $input = IO::Select->new(\*STDIN);
  my ($redis, $kept) = (undef, 0);
  until ($input->can_read(0.01)) {
    eval {
      $redis //= client();
      my $number = $redis->incr('perl:count');
      print encode_json(["counted $number after $kept"]), "\n" if $number <= $kept;
      $kept = $number if $redis->wait(1, 500) > 0;
      print "done\n";
      1;
    } or $redis = undef;
  }
}
