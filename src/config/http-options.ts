/** [http-port] and its companions, as a configuration file of either program has them. */
export interface HttpOptions {
  /** 0: there is no HTTP. */
  readonly port: number
  /** Empty: where the program listens. */
  readonly bind: readonly string[]
  /** What `Authorization: Bearer` must carry. Empty: none is set, and nothing can be steered. */
  readonly token: string
  /** The file that holds it; empty: none. */
  readonly tokenFile: string
  /** With the certificate of the program. */
  readonly tls: boolean
}

export const NO_HTTP: HttpOptions = { port: 0, bind: [], token: '', tokenFile: '', tls: false }
