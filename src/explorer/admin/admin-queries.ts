/** The requests of the administration screens. */
import { queryOptions } from '@tanstack/react-query'
import { type ServiceRequest, segment } from '../../client/connection.ts'
import type { Service } from '../api/service.ts'

const PATH = '/api/admin/v1'
const REFRESH_MS = 2000

export interface Status {
  readonly version: string
  readonly startedAt: string
  readonly uptimeSeconds: number
  readonly process: {
    readonly residentBytes: number
    readonly heapBytes: number
    readonly busyMs: number
    readonly idleMs: number
  }
  readonly store: { readonly kind: 'sqlite' | 'postgresql'; readonly storedBytes?: number }
  readonly objectTypes: readonly TypeState[]
  readonly pageCache: { readonly pages: number; readonly bytes: number; readonly maxBytes: number }
  readonly columns?: {
    readonly usedBytes: number
    readonly maxBytes: number
    readonly objectTypes: readonly (TypeName & { readonly state: string })[]
  }
  readonly backgroundWork: BackgroundWork
}

interface TypeName {
  readonly ontology: string
  readonly objectType: string
}

export interface TypeState extends TypeName {
  readonly count: number
  readonly version: number
  readonly oldestVersion: number
  readonly storedBytes?: number
}

export interface BackgroundWork {
  readonly replacements: readonly (TypeName & {
    readonly replacement: string
    readonly count: number
  })[]
  readonly rewrites: readonly (TypeName & {
    readonly phase: 'copying' | 'indexing' | 'catchingUp'
    readonly objects: number
    readonly totalObjects: number
  })[]
  readonly tablesToRemove: number
  readonly reclaiming: boolean
}

/** An API token or an OAuth client. */
export interface Credential {
  readonly id: string
  readonly name: string
  readonly scopes: readonly string[]
  readonly ontologies?: readonly string[]
  readonly createdAt: string
  readonly lastUsedAt?: string
  readonly expiresAt?: string
  /** Of tokens only. */
  readonly state?: 'active' | 'expired' | 'revoked'
  /** Of clients only, like the next. */
  readonly public?: boolean
  readonly redirectUris?: readonly string[]
}

/** Read again every two seconds, for as long as the tab is visible. */
export function statusQuery({ connection }: Service) {
  return queryOptions({
    queryKey: ['admin', 'status'],
    queryFn: ({ signal }) => connection.send<Status>({ path: `${PATH}/status`, signal }),
    refetchInterval: REFRESH_MS,
    retry: false,
  })
}

export type CredentialKind = 'tokens' | 'clients'

export function credentialsQuery({ connection }: Service, kind: CredentialKind) {
  return queryOptions({
    queryKey: ['admin', kind],
    queryFn: async ({ signal }) => {
      const request = { path: `${PATH}/${kind}`, signal }
      return (await connection.send<{ readonly data: readonly Credential[] }>(request)).data
    },
  })
}

export function createRequest(kind: CredentialKind, json: unknown): ServiceRequest {
  return { method: 'POST', path: `${PATH}/${kind}`, json }
}

export function revokeRequest(kind: CredentialKind, id: string): ServiceRequest {
  return { method: 'DELETE', path: `${PATH}/${kind}/${segment(id)}` }
}
