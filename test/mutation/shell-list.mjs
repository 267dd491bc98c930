/**
 * Slips in the shell (dist/io), made by hand: what a tired person could write there. The simulator replaces
 * the shell, so these are for real sockets and for the tests of the shell. Each `find` stands exactly once.
 */
export const SLIPS = [
  {
    name: 'the save is not awaited',
    file: 'io/driver.js',
    find: 'this.#ports.save(state).then(',
    replace: 'Promise.resolve(void this.#ports.save(state).catch(() => undefined)).then(',
  },
  {
    name: 'the reply leaves before the save',
    file: 'io/driver.js',
    find: '            this.#save(state, behind);\n',
    replace: '{ behind.forEach((effect) => this.#performOne(effect)); this.#save(state, []); }\n',
  },
  {
    name: 'a save that failed counts as one that succeeded',
    file: 'io/driver.js',
    find: 'this.#resume(failure, []);',
    replace: "this.#resume({ kind: 'saved' }, behind);",
  },
  {
    name: 'events come in while a save is under way',
    file: 'io/driver.js',
    find: '        if (!this.#isBusy)\n',
    replace: '        if (true)\n',
  },
  {
    name: 'clients are not read again after a save',
    file: 'io/sentinel-host.js',
    find: '        this.#clients.resumeReading();\n',
    replace: '',
  },
  {
    name: 'links are not read again after a save',
    file: 'io/sentinel-host.js',
    find: '        this.#links.resumeReading();\n',
    replace: '',
  },
  {
    name: 'an earlier deadline does not move the timer',
    file: 'io/process/alarm.js',
    find: 'this.#timer !== undefined && this.#armedForMs <= atMs',
    replace: 'this.#timer !== undefined',
  },
  {
    name: 'a timer that fires early is not set again',
    file: 'io/process/alarm.js',
    find: '        if (lateMs < 0)\n            this.#arm(atMs);\n',
    replace: '        if (lateMs < 0)\n            return;\n',
  },
  {
    name: 'a node’s timer is not set after an input',
    file: 'io/node-host.js',
    find: '            if (!this.#hasExited)\n                this.#alarm.set(this.#node.nextWakeUpMs());\n',
    replace: '',
  },
  {
    name: 'a closed node goes on with what it is told',
    file: 'io/node-host.js',
    find: '            if (this.#hasExited)\n                return;\n            feed(',
    replace: '            feed(',
  },
  {
    name: 'what the kernel does not take at once is dropped',
    file: 'io/network/connections.js',
    find: '    if (entry.socket.writable)\n',
    replace: '    if (entry.socket.writable && !entry.socket.writableNeedDrain)\n',
  },
  {
    name: 'bytes of clients are read as UTF-8',
    file: 'io/network/connections.js',
    find: "this.#received(entry, chunk.toString('latin1'));",
    replace: "this.#received(entry, chunk.toString('utf8'));",
  },
  {
    name: 'a connection is closed without its last answers',
    file: 'io/network/connections.js',
    find: '        flush(entry);\n        const finish = ',
    replace: '        const finish = ',
  },
  {
    name: 'a connection that breaks is not told',
    file: 'io/network/connections.js',
    find: '        this.#events.closed(entry.id, reason);\n',
    replace: '',
  },
  {
    name: 'the connection before is closed in its place',
    file: 'io/network/connections.js',
    find: '        this.#entries.delete(id);\n        if (isAtOnce)',
    replace:
      '        const [other] = [...this.#entries.values()];\n        other?.socket.destroy();\n        this.#entries.delete(id);\n        if (isAtOnce)',
  },
  {
    name: 'bulk readers are never read again',
    file: 'io/network/connections.js',
    find: '            entry.isWaiting = false;\n',
    replace: '',
  },
  {
    name: 'a link reads the rest of an earlier answer, too',
    file: 'io/network/links.js',
    find: "this.#inbox.toString('latin1', 0, length)",
    replace: "this.#inbox.toString('latin1', 0, length + 1)",
  },
  {
    name: 'a link that is lost is not told',
    file: 'io/network/links.js',
    find: "        this.#feed({ kind: 'linkLost', link: link.id, reason, isRefused });\n",
    replace: '',
  },
  {
    name: 'a link that was closed goes on',
    file: 'io/network/links.js',
    find: '        flush(link);\n        link.socket.destroy();\n',
    replace: '        flush(link);\n',
  },
  {
    name: 'only the first links of a turn send',
    file: 'io/network/links.js',
    find: '        setImmediate(() => flushFrom(dirty, to));\n',
    replace: '        return;\n',
  },
  {
    name: 'the state file is renamed before it is on disk',
    file: 'io/files/durable.js',
    find: '        await file.writeFile(text);\n        await file.sync();\n',
    replace: '        await file.writeFile(text);\n',
  },
  {
    name: 'the folder of a state file is not synced',
    file: 'io/files/durable.js',
    find: '    await syncFolder(files, folder);\n',
    replace: '',
  },
  {
    name: 'the rest of a partial write is left out',
    file: 'io/files/node-files.js',
    find: '            while (written < bytes.length)\n',
    replace: '            if (written < bytes.length)\n',
  },
  {
    name: 'half a write is not taken back',
    file: 'io/files/node-files.js',
    find: '            this.#takeBack(path, descriptor);\n            throw error;\n',
    replace: '            throw error;\n',
  },
  {
    name: 'requests on one file overtake each other',
    file: 'io/files/node-files.js',
    find: 'before.then(() => this.#carryOut(request))',
    replace: 'Promise.resolve().then(() => this.#carryOut(request))',
  },
]
