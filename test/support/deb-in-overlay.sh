#!/bin/sh
# deb-in-overlay.sh FOLDER PACKAGE NODE: installs the package with dpkg in an overlay of this system that nobody else
# sees, with a network and processes of its own, upgrades, removes and purges it. Nothing of this system changes.
# Prints one line "name: value" for each thing seen. Run it with: unshare --mount --net --pid --fork --kill-child
set -e
folder=$1 package=$2
VEDETTE_NODE=$3
DEBIAN_FRONTEND=noninteractive
export VEDETTE_NODE DEBIAN_FRONTEND

mount -t tmpfs tmpfs "$folder"
mkdir "$folder/upper" "$folder/work" "$folder/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$folder/upper,workdir=$folder/work" "$folder/root"
mount -t proc proc "$folder/root/proc"
mount --rbind /dev "$folder/root/dev"
ip link set lo up 2>/dev/null || true
cp "$package" "$folder/root/vedette.deb"

cat > "$folder/root/steps.sh" <<'STEPS'
set -e
say() { echo "$1: $2"; }
state() { stat -c '%U:%G %a' "$1" 2>/dev/null || echo none; }
has_user() { getent passwd vedette >/dev/null && echo yes || echo no; }
install() { dpkg --force-depends --force-confold -i /vedette.deb >/dev/null; }
as_service='setpriv --reuid=vedette --regid=vedette --clear-groups --no-new-privs'
# The command of a line of the unit, as the service's user.
unit_line() { sed -n "s/^$2=//p" "/lib/systemd/system/$1.service"; }

# Whatever this system has of it is not ours to test.
dpkg --purge vedette >/dev/null 2>&1 || true
say 'user before' "$(has_user)"
install
say 'user after' "$(has_user)"
say 'shell' "$(getent passwd vedette | cut -d: -f7)"
say 'state folder' "$(state /var/lib/vedette)"
say 'configuration folder' "$(state /etc/vedette)"
say 'sentinel.yml' "$(state /etc/vedette/sentinel.yml)"
say 'server.conf' "$(state /etc/vedette/server.conf)"
say 'enabled' "$(ls /etc/systemd/system/multi-user.target.wants 2>/dev/null | grep -c vedette || true)"

cd /var/lib/vedette
$as_service $(unit_line vedette-server ExecStartPre)
$as_service $(unit_line vedette-server ExecStart) >/tmp/server.log 2>&1 & server=$!
$as_service $(unit_line vedette-sentinel ExecStart) >/tmp/sentinel.log 2>&1 & sentinel=$!
status=none
for _ in $(seq 100); do
  if grep -q '+monitor master mymaster' /tmp/sentinel.log && grep -q 'Ready to accept' /tmp/server.log; then
    status=running; break
  fi
  sleep 0.2
done
say 'services' "$status"
if [ "$status" = none ]; then cat /tmp/server.log /tmp/sentinel.log >&2; fi
if command -v redis-cli >/dev/null; then
  say 'CONFIG REWRITE' "$(redis-cli config set maxclients 99 >/dev/null; redis-cli config rewrite)"
  say 'learnt' "$(state /var/lib/vedette/server.conf.learnt)"
fi
kill "$server" "$sentinel"
wait "$server" && wait "$sentinel" && say 'stopped with' 0
say 'state file' "$(state /var/lib/vedette/sentinel-26379.state)"

echo '# mine' >> /etc/vedette/sentinel.yml
say 'sum before' "$(md5sum < /var/lib/vedette/sentinel-26379.state)"
install
say 'sum after the upgrade' "$(md5sum < /var/lib/vedette/sentinel-26379.state)"
say 'my line after the upgrade' "$(tail -1 /etc/vedette/sentinel.yml)"
say 'sentinel.yml after the upgrade' "$(state /etc/vedette/sentinel.yml)"
/var/lib/dpkg/info/vedette.postinst configure 0.1.0
/var/lib/dpkg/info/vedette.postinst configure 0.1.0
say 'postinst twice' "$(state /var/lib/vedette) $(state /etc/vedette)"
dpkg -r vedette >/dev/null
say 'program after remove' "$(state /usr/bin/vedette)"
say 'sum after remove' "$(md5sum < /var/lib/vedette/sentinel-26379.state)"
say 'my line after remove' "$(tail -1 /etc/vedette/sentinel.yml)"
install
touch /etc/vedette/my-certificate.pem
dpkg --purge vedette >/dev/null
say 'user after purge' "$(has_user)"
say 'state after purge' "$(state /var/lib/vedette)"
say 'sentinel.yml after purge' "$(state /etc/vedette/sentinel.yml)"
say 'my certificate after purge' "$(ls /etc/vedette)"
say 'library after purge' "$(state /usr/lib/vedette)"
install
mount -t tmpfs tmpfs /var/lib/vedette
touch /var/lib/vedette/dump.rdb
say 'purge of a disk of its own' "$(dpkg --purge vedette 2>&1 | grep 'mount point')"
say 'left on it' "$(ls -A /var/lib/vedette | wc -l)"
say 'user after that purge' "$(has_user)"
STEPS
exec chroot "$folder/root" /bin/sh /steps.sh
