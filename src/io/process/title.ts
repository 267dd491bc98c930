/**
 * [proc-title-template] What `ps` shows of this process. Only if a file or a command line says anything
 * about it: otherwise the command line stays visible, which says more.
 */
export interface TitleFacts {
  readonly title: string
  readonly bind: string
  readonly port: number
  readonly tlsPort: number
  readonly unixSocket: string
  readonly configFile: string
}

/** `{{` stands for a brace. */
export function processTitleOf(template: string, facts: TitleFacts): string {
  const [address = '*'] = facts.bind.split(' ')
  const values: Readonly<Record<string, string>> = {
    title: facts.title,
    'listen-addr': facts.unixSocket || `${address || '*'}:${facts.port || facts.tlsPort}`,
    'server-mode': '',
    port: String(facts.port),
    'tls-port': String(facts.tlsPort),
    unixsocket: facts.unixSocket,
    'config-file': facts.configFile,
  }
  const filled = template.replace(/\{\{|\{([a-z-]+)\}/g, (whole, name?: string) =>
    name === undefined ? '{' : (values[name] ?? whole),
  )
  return filled.trimEnd()
}
