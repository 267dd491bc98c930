#!/bin/sh
# systemd-in-overlay.sh FOLDER ROOT NODE: boots this machine's systemd as process 1 of namespaces of its own, in an
# overlay of this system that nobody else sees, with the shipped units and the programs of ROOT, and runs FOLDER/steps.sh
# there as a service; /out is FOLDER, and what is in FOLDER/files stands in the root. Run it with: unshare --mount --net --pid --ipc --uts --cgroup --fork --kill-child
set -e
folder=$1 source=$2 node=$3
mkdir "$folder/disk"
mount -t tmpfs tmpfs "$folder/disk"
disk=$folder/disk
mkdir "$disk/upper" "$disk/work" "$disk/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$disk/upper,workdir=$disk/work" "$disk/root"
cd "$disk/root"
mount -t proc proc proc
mount -t sysfs sysfs sys
mount -t tmpfs tmpfs sys/fs/cgroup
mkdir sys/fs/cgroup/unified sys/fs/cgroup/systemd
if mount -t cgroup -o none,name=systemd cgroup sys/fs/cgroup/systemd 2>/dev/null; then
  mount -t cgroup2 cgroup2 sys/fs/cgroup/unified
else
  umount sys/fs/cgroup
  mount -t cgroup2 cgroup2 sys/fs/cgroup
fi
mount -t tmpfs tmpfs dev
mkdir dev/pts dev/shm out old
mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
ln -s pts/ptmx dev/ptmx
mount --bind "$folder" out
: > "$folder/console"
touch dev/console
mount --bind "$folder/console" dev/console
for name in null zero full random urandom tty; do
  touch "dev/$name"
  mount --bind "/dev/$name" "dev/$name"
done
mount -t tmpfs tmpfs run
mount -t tmpfs tmpfs tmp
ip link set lo up

mkdir -p usr/lib/vedette/dist usr/lib/vedette/node_modules etc/vedette
for name in dist node_modules; do
  mount --bind "$source/$name" "usr/lib/vedette/$name"
done
cp "$source/package.json" usr/lib/vedette/package.json
touch usr/lib/vedette/node
mount --bind "$node" usr/lib/vedette/node
for name in vedette-sentinel vedette-server; do
  printf '#!/bin/sh\nexec /usr/lib/vedette/node /usr/lib/vedette/dist/cli/%s.js "$@"\n' "$name" > "usr/bin/$name"
  chmod 755 "usr/bin/$name"
  cp "$source/deploy/systemd/$name.service" "etc/systemd/system/$name.service"
done
cp "$source/deploy/deb/sentinel.yml" "$source/deploy/deb/server.conf" etc/vedette/
chroot . sh -c 'getent passwd vedette >/dev/null || useradd --system --no-create-home --home /var/lib/vedette vedette'
chroot . chgrp -R vedette etc/vedette
chmod 750 etc/vedette

# As a package of Node has it, for units that may execute nothing else.
rm -f usr/bin/node
touch usr/bin/node
mount --bind "$node" usr/bin/node
if [ -d "$folder/files" ]; then cp -r "$folder/files/." .; fi

# Nothing else of this system is started.
rm -rf etc/systemd/system/*.wants etc/systemd/system/default.target
cat > etc/systemd/system/steps.service <<'UNIT'
[Service]
Type=oneshot
ExecStart=/bin/sh /out/steps.sh
StandardOutput=file:/out/said
StandardError=file:/out/errors
UNIT
cat > etc/systemd/system/steps.target <<'UNIT'
[Unit]
Wants=steps.service
UNIT
container=other
export container
# systemd makes namespaces of its own for each service, which wants a root that is a mount and no chroot.
mount --make-rprivate /
pivot_root . old
cd /
umount -l /old
exec /lib/systemd/systemd --system --unit=steps.target --log-target=journal --show-status=no
