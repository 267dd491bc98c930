/** The page of the cluster in the user's browser: whatever the system opens addresses with. */

/** `failed` gets the reason in words; it may come later, since a browser says nothing when it starts. */
export async function openInBrowser(url: string, failed: (why: string) => void): Promise<void> {
  const { default: open } = await import('open')
  const tell = (why: string) => failed(`no browser opened ${url}: ${why}`)
  try {
    const opener = await open(url)
    opener.once('error', ({ message }) => tell(message))
    opener.once('exit', (status) => {
      if (status !== 0) tell(`${opener.spawnfile} ended with ${status ?? 'a signal'}`)
    })
  } catch (error) {
    tell(error instanceof Error ? error.message : String(error))
  }
}
