/** What the readers of configurations ask about the machine; they do no I/O themselves. */
export interface ConfOutside {
  /**
   * The files that a pattern of `include` matches, in order; `folder` is the last `dir` before it.
   */
  include(pattern: string, folder: string | undefined): Included
  /** Is there a file at this path that we may run? */
  isExecutable(path: string): boolean
  /** Why `dir` cannot be made the working folder, in the system's words; undefined if it can. */
  folderFault(path: string): string | undefined
  /** A variable of the environment; undefined if it is not set. */
  variable(name: string): string | undefined
  /** The text of a file that holds one value, such as a mounted secret. */
  secretFile(path: string): SecretText
}

export type SecretText =
  | { readonly ok: true; readonly text: string }
  /** `reason` is part of a sentence. */
  | { readonly ok: false; readonly reason: string }

export type Included =
  | {
      readonly ok: true
      /** `text` is a byte string. Empty for a pattern that matches nothing, which is no error. */
      readonly files: readonly { readonly name: string; readonly text: string }[]
    }
  | { readonly ok: false; readonly path: string; readonly reason: string }

/** For files that are only checked, away from the machine they are for. */
export const NO_OUTSIDE: ConfOutside = {
  include: (path) => ({ ok: false, path, reason: 'other files are not read here' }),
  isExecutable: () => true,
  folderFault: () => undefined,
  variable: () => undefined,
  secretFile: () => ({ ok: false, reason: 'other files are not read here' }),
}

/** A path as the program will see it once it has changed to its folder. */
export function within(folder: string | undefined, path: string): string {
  if (folder === undefined || path === '' || path.startsWith('/')) return path
  return `${folder}/${path}`
}
