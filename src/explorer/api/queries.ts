/** The requests of the screens besides pages: definitions, counts and the caller. */
import { QueryClient, queryOptions } from '@tanstack/react-query'
import { isRetryable } from '../../client/retry.ts'
import type { OntologyDefinition } from './ontology.ts'
import type { Service } from './service.ts'

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

export function ontologiesQuery({ revision1 }: Service) {
  return queryOptions({
    queryKey: ['ontologies'],
    queryFn: ({ signal }) => revision1.listOntologies({ signal }),
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
