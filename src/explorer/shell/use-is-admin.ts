import { useQuery } from '@tanstack/react-query'
import { meQuery } from '../api/queries.ts'
import { useSession } from './session.tsx'

/** True if the caller may administer the service; undefined until that is known. */
export function useIsAdmin(): boolean | undefined {
  const { send, isSignedIn } = useSession()
  const { data } = useQuery({ ...meQuery(send), enabled: isSignedIn })
  // The service refuses administration to tokens that are limited to ontologies.
  return data?.scopes.includes('api:admin') && data.ontologies === undefined
}
