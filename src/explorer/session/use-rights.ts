/** The rights of the caller; undefined until they are known. */
import { useQuery } from '@tanstack/react-query'
import { meQuery } from '../api/queries.ts'
import { useSession } from './session.tsx'

/** True if the caller may do what a scope allows. */
export function useHasScope(scope: string): boolean | undefined {
  return useCaller()?.scopes.includes(scope)
}

/** True if the caller may administer the service. */
export function useIsAdmin(): boolean | undefined {
  const hasScope = useHasScope('api:admin')
  // The service refuses administration to tokens that are limited to ontologies.
  const isLimited = useCaller()?.ontologies !== undefined
  return hasScope && !isLimited
}

function useCaller() {
  const { service, isSignedIn } = useSession()
  return useQuery({ ...meQuery(service), enabled: isSignedIn }).data
}
