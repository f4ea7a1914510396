/** What a peer is: another service that people could use for the same walk and query. */
import type { Call } from '../measure/connection.ts'
import type { ServerProgram, StoreName, Workbench } from '../measure/workbench.ts'

/** The walk reads all objects in key order, the query those of one category. */
export type PeerQuery = 'walk' | 'query'

export const CATEGORY = 'rotor'

export interface PeerPage {
  readonly objects: readonly Readonly<Record<string, unknown>>[]
  readonly token: string | undefined
}

export interface Walked {
  readonly name: string
  /** Builds the request for the page that a token names, or for the first page. */
  call(query: PeerQuery, pageSize: number, token: string | undefined): Call
  // biome-ignore lint/suspicious/noExplicitAny: The JSON of a peer.
  read(page: any): PeerPage
}

export interface Peer extends Walked {
  /** The store of the service that it is compared with. */
  readonly store: StoreName
  /** For the report. */
  readonly settings: string
  /** A path that succeeds when the peer is ready. */
  readonly readyPath: string
  /** Installs the peer if possible, and fills its database. */
  prepare(
    bench: Workbench,
    objects: number,
    port: number,
  ): Promise<ServerProgram & { readonly version: string }>
}
