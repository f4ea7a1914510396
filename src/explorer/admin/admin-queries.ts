/** The requests of the administration screens. */
import { queryOptions } from '@tanstack/react-query'
import { segment } from '../../client/addresses.ts'
import type { ServiceRequest } from '../../client/connection.ts'
import type { StatusResponse } from '../../contract/status-response.ts'
import type { Service } from '../api/service.ts'

const PATH = '/api/admin/v1'
const REFRESH_MS = 2000

export type TypeState = StatusResponse['objectTypes'][number]

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
    queryFn: ({ signal }) => connection.send<StatusResponse>({ path: `${PATH}/status`, signal }),
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
