/** The service that has sent this page, through the client of the project. */
import { Endpoints } from '../../client/endpoints/endpoints.ts'
import { OqsError } from '../../client/oqs-error.ts'
import { serviceUrl } from './service-url.ts'

/** The endpoints of the service, which the screens call. */
export type Service = Endpoints

export interface ServiceOptions {
  readonly token?: string | (() => Promise<string>)
  /** Called when the service does not accept the token. */
  readonly onRefused?: () => void
}

export function openService({ token, onRefused }: ServiceOptions = {}): Service {
  return new Endpoints({
    baseUrl: serviceUrl(),
    token,
    // The screens retry, and show when. The page came from the service, so it may come back.
    retries: { retries: 0, waitForServiceMs: Number.POSITIVE_INFINITY },
    fetch: async (url, init) => {
      const response = await fetch(url, { ...init, credentials: 'omit', cache: 'no-store' })
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
