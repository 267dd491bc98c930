/** What a reload cannot put into effect: settings that are read once, when the process starts. */

/** The names of such options, and where each stands in what was read. */
export type StartReads<File> = readonly (readonly [name: string, read: (file: File) => unknown])[]

/** The names of those that differ from what the process was started with. */
export function changesForRestart<File>(
  reads: StartReads<File>,
  started: File,
  file: File,
): readonly string[] {
  return reads
    .filter(([, read]) => JSON.stringify(read(started)) !== JSON.stringify(read(file)))
    .map(([name]) => name)
}
