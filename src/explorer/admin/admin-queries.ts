/** What the administration screens ask of the service. */
import { queryOptions } from '@tanstack/react-query'
import { type ApiRequest, parseBody, type Send } from '../api/call.ts'

const PATH = '/api/admin/v1'
const REFRESH_MS = 2000

export interface Status {
  readonly version: string
  readonly startedAt: string
  readonly uptimeSeconds: number
  readonly process: ProcessState
  readonly store: { readonly kind: 'sqlite' | 'postgresql'; readonly storedBytes?: number }
  readonly objectTypes: readonly TypeState[]
  readonly pageCache: { readonly pages: number; readonly bytes: number; readonly maxBytes: number }
  readonly backgroundWork: BackgroundWork
}

export interface ProcessState {
  readonly residentBytes: number
  readonly heapBytes: number
  readonly busyMs: number
  readonly idleMs: number
}

export interface TypeState {
  readonly ontology: string
  readonly objectType: string
  readonly count: number
  readonly version: number
  readonly oldestVersion: number
  readonly storedBytes?: number
}

export interface BackgroundWork {
  readonly replacements: readonly {
    readonly ontology: string
    readonly objectType: string
    readonly replacement: string
    readonly count: number
  }[]
  readonly rewrites: readonly {
    readonly ontology: string
    readonly objectType: string
    readonly phase: 'copying' | 'indexing' | 'catchingUp' | 'failed'
    readonly objects: number
    readonly totalObjects: number
    readonly reason?: string
  }[]
  readonly tablesToRemove: number
  readonly reclaiming: boolean
}

/** The members that tokens and clients have in common. */
export interface Credential {
  readonly id: string
  readonly name: string
  readonly scopes: readonly string[]
  readonly ontologies?: readonly string[]
  readonly createdAt: string
  readonly lastUsedAt?: string
  readonly expiresAt?: string
}

export interface ApiToken extends Credential {
  readonly state: 'active' | 'expired' | 'revoked'
}

export interface OAuthClient extends Credential {
  readonly public: boolean
  readonly redirectUris: readonly string[]
}

/** Read again every two seconds, for as long as the tab is visible. */
export function statusQuery(send: Send) {
  return queryOptions({
    queryKey: ['admin', 'status'],
    queryFn: async ({ signal }) =>
      parseBody<Status>(await send({ method: 'GET', path: `${PATH}/status` }, signal)),
    refetchInterval: REFRESH_MS,
    retry: false,
  })
}

export function tokensQuery(send: Send) {
  return queryOptions({
    queryKey: ['admin', 'tokens'],
    queryFn: async ({ signal }) => readList<ApiToken>(send, 'tokens', signal),
  })
}

export function clientsQuery(send: Send) {
  return queryOptions({
    queryKey: ['admin', 'clients'],
    queryFn: async ({ signal }) => readList<OAuthClient>(send, 'clients', signal),
  })
}

export type CredentialKind = 'tokens' | 'clients'

async function readList<Item>(send: Send, kind: CredentialKind, signal: AbortSignal) {
  const response = await send({ method: 'GET', path: `${PATH}/${kind}` }, signal)
  return parseBody<{ readonly data: readonly Item[] }>(response).data
}

export function createRequest(kind: CredentialKind, body: unknown): ApiRequest {
  return { method: 'POST', path: `${PATH}/${kind}`, body }
}

export function revokeRequest(kind: CredentialKind, id: string): ApiRequest {
  return { method: 'DELETE', path: `${PATH}/${kind}/${encodeURIComponent(id)}` }
}
