/** The requests of the screens besides pages: definitions, counts and the caller. */
import { QueryClient, queryOptions } from '@tanstack/react-query'
import { ApiError, parseBody, type Send } from './call.ts'
import {
  getCounts,
  getDefinition,
  listOntologies,
  type OntologyDefinition,
  type OntologySummary,
  type TypeCounts,
} from './ontology.ts'

const DEFINITION_STALE_MS = 60_000
const COUNTS_STALE_MS = 10_000
const RETRIES = 3

/** Errors of the caller are final; only a lost connection or a busy service is tried again. */
export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        retry: (failures, error) =>
          failures < RETRIES &&
          error instanceof ApiError &&
          (error.status === 0 || error.status === 429 || error.status === 503),
        refetchOnWindowFocus: false,
      },
    },
  })
}

export interface Me {
  readonly id: string
  readonly name: string
  readonly scopes: readonly string[]
  readonly ontologies?: readonly string[]
  readonly expiresAt?: string
  readonly pageTokens: {
    readonly maxAgeSeconds: number
    readonly snapshotMaxAgeSeconds: number
  }
}

export function meQuery(send: Send) {
  return queryOptions({
    queryKey: ['me'],
    queryFn: async ({ signal }) =>
      parseBody<Me>(await send({ method: 'GET', path: '/api/admin/v1/me' }, signal)),
    staleTime: DEFINITION_STALE_MS,
  })
}

export function ontologiesQuery(send: Send) {
  return queryOptions({
    queryKey: ['ontologies'],
    queryFn: async ({ signal }) =>
      parseBody<{ readonly data: readonly OntologySummary[] }>(await send(listOntologies, signal))
        .data,
    staleTime: DEFINITION_STALE_MS,
  })
}

export function definitionQuery(send: Send, ontology: string) {
  return queryOptions({
    queryKey: ['definition', ontology],
    queryFn: async ({ signal }) =>
      parseBody<OntologyDefinition>(await send(getDefinition(ontology), signal)),
    staleTime: DEFINITION_STALE_MS,
  })
}

export function countsQuery(send: Send, ontology: string) {
  return queryOptions({
    queryKey: ['counts', ontology],
    queryFn: async ({ signal }) => parseBody<TypeCounts>(await send(getCounts(ontology), signal)),
    staleTime: COUNTS_STALE_MS,
  })
}
