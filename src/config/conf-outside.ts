/** What reading a configuration needs to know of the machine it is read on; the reading itself does no I/O. */
export interface ConfOutside {
  /** The files a pattern of `include` names, in order; `folder` is the last `dir` before it. */
  include(pattern: string, folder: string | undefined): Included
  /** Is there something at this path that we may run? */
  isExecutable(path: string): boolean
  /** Why `dir` cannot be made the working folder, in the system's words; undefined: it can. */
  folderFault(path: string): string | undefined
}

export type Included =
  | {
      readonly ok: true
      /** `text` is a byte string. None for a pattern that fits nothing, which is no error. */
      readonly files: readonly { readonly name: string; readonly text: string }[]
    }
  | { readonly ok: false; readonly path: string; readonly reason: string }

/** For files that are only looked at, away from where they will be used. */
export const NO_OUTSIDE: ConfOutside = {
  include: (path) => ({ ok: false, path, reason: 'other files are not read here' }),
  isExecutable: () => true,
  folderFault: () => undefined,
}

/** A path as the program will see it once it has gone to its folder. */
export function within(folder: string | undefined, path: string): string {
  return folder === undefined || path.startsWith('/') ? path : `${folder}/${path}`
}
