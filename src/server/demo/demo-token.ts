import type { ObjectStore } from '../../store/object-store.ts'
import { createApiToken } from '../api-token.ts'
import { DEMO_DEFINITION } from './definition.ts'

const TOKEN_NAME = 'demo'
const TOKEN_TTL_MS = 24 * 60 * 60 * 1000

/** Creates a token at every start of the demo, because an earlier secret cannot be shown again. */
export async function createDemoToken(store: ObjectStore, nowMs: number): Promise<string> {
  const { secret } = await createApiToken(
    store,
    {
      name: TOKEN_NAME,
      scopes: ['api:ontologies-read', 'api:ontologies-write'],
      ontologies: undefined,
      expiresAtMs: nowMs + TOKEN_TTL_MS,
    },
    nowMs,
  )
  return secret
}

/** Returns an example command to paste into a terminal. */
export function demoCommand(url: string, token: string): string {
  const path = `/api/v1/ontologies/${DEMO_DEFINITION.apiName}/objects/airport?pageSize=3`
  return `curl -H 'Authorization: Bearer ${token}' '${url}${path}'`
}
