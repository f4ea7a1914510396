/** The service that has sent this page, through the client of the project. */

import { QueryClient, queryOptions } from '@tanstack/react-query'
import { readPage } from '../../client/endpoints/endpoint-group.ts'
import { Endpoints } from '../../client/endpoints/endpoints.ts'
import type { Page } from '../../client/endpoints/pages.ts'
import type { OntologySummary } from '../../client/endpoints/revision-1.ts'
import { OqsError } from '../../client/oqs-error.ts'
import { isRetryable } from '../../client/retry.ts'
import { BASE_PATH } from './base-path.ts'
import { JointAggregations } from './joint-aggregations.ts'
import type { OntologyDefinition } from './ontology.ts'
import { sessionFetch } from './session-fetch.ts'

/** The endpoints of the service, which the screens call. */
export class Service extends Endpoints {
  /** Aggregations of objects: all that are asked for in one turn are one request. */
  readonly aggregations = new JointAggregations(this.objectSets)
}

export interface ServiceOptions {
  readonly token?: string
  /** Sends requests of the browser session. */
  readonly isSession?: boolean
  /** Called when the service does not accept the token. */
  readonly onRefused?: () => void
}

export function openService({ token, isSession, onRefused }: ServiceOptions = {}): Service {
  return new Service({
    baseUrl: serviceUrl(),
    token,
    // The screens retry, and show when. The page came from the service, so it may come back.
    retries: { retries: 0, waitForServiceMs: Number.POSITIVE_INFINITY },
    fetch: async (url, init) => {
      const send = isSession === true ? sessionFetch : fetch
      const response = await send(url, { credentials: 'omit', ...init, cache: 'no-store' })
      if (response.status === 401) onRefused?.()
      return response
    },
  })
}

/** Returns the status of the response that an error is about; undefined if there was none. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof OqsError ? error.statusCode : undefined
}

/** Returns what went wrong, as a sentence for people. */
export function messageOf(error: unknown): string {
  if (!(error instanceof OqsError)) return error instanceof Error ? error.message : String(error)
  if (error.statusCode === undefined) return 'The service cannot be reached.'
  return error.errorDescription ?? `The service answered with ${error.statusCode}.`
}

const DEFINITION_STALE_MS = 60_000
const COUNTS_STALE_MS = 10_000
const RETRIES = 3

/** Errors of the caller are final; only a lost connection or a busy service is tried again. */
export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        retry: (failures, error) => failures < RETRIES && isRetryable(error),
        refetchOnWindowFocus: false,
      },
    },
  })
}

export function meQuery({ administration }: Service) {
  return queryOptions({
    queryKey: ['me'],
    queryFn: ({ signal }) => administration.getCaller({ signal }),
    staleTime: DEFINITION_STALE_MS,
  })
}

export function ontologiesQuery({ connection }: Service) {
  return queryOptions({
    queryKey: ['ontologies'],
    queryFn: async ({ signal }) => {
      const request = { path: '/api/v2/ontologies', signal }
      return (await readPage<Page<OntologySummary>>(connection, request)).data
    },
    staleTime: DEFINITION_STALE_MS,
  })
}

export function definitionQuery({ administration }: Service, ontology: string) {
  return queryOptions({
    queryKey: ['definition', ontology],
    queryFn: async ({ signal }) =>
      (await administration.getDefinition(ontology, { signal })) as OntologyDefinition,
    staleTime: DEFINITION_STALE_MS,
  })
}

export function countsQuery({ administration }: Service, ontology: string) {
  return queryOptions({
    queryKey: ['counts', ontology],
    queryFn: ({ signal }) => administration.getObjectCounts(ontology, { signal }),
    staleTime: COUNTS_STALE_MS,
  })
}

/** Returns the address of the service, for clients. */
export function serviceUrl(): string {
  return location.origin + BASE_PATH
}
