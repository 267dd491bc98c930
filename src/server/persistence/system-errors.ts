/** What operating systems call their errors in words. Redis' error replies carry these. */

const WORDS: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'Permission denied'],
  ['EDQUOT', 'Disk quota exceeded'],
  ['EFBIG', 'File too large'],
  ['EIO', 'Input/output error'],
  ['EMFILE', 'Too many open files'],
  ['ENOENT', 'No such file or directory'],
  ['ENOSPC', 'No space left on device'],
  ['ENOTDIR', 'Not a directory'],
  ['EPERM', 'Operation not permitted'],
  ['EROFS', 'Read-only file system'],
])

export function systemErrorWords(code: string): string {
  return WORDS.get(code) ?? code
}
