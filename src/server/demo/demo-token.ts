import { createApiToken } from '../../access/api-tokens.ts'
import { createSessionCode } from '../../access/sessions.ts'
import type { Scope } from '../../contract/scopes.ts'
import type { ApiToken, ObjectStore } from '../../store/object-store.ts'
import { DEMO_DEFINITION } from './definition.ts'

const TOKEN_NAME = 'demo'
const SESSION_NAME = 'demo in a browser'
const TOKEN_TTL_MS = 24 * 60 * 60 * 1000
const SCOPES: readonly Scope[] = ['api:ontologies-read', 'api:ontologies-write']

/**
 * Creates a token at every start of the demo, because an earlier secret cannot be shown again. Those of
 * earlier starts stay valid until they expire: people have exported them.
 */
export async function createDemoToken(store: ObjectStore, nowMs: number): Promise<string> {
  await removeInvalidTokens(store, nowMs)
  const { secret } = await createApiToken(
    store,
    {
      name: TOKEN_NAME,
      scopes: SCOPES,
      ontologies: undefined,
      expiresAtMs: nowMs + TOKEN_TTL_MS,
    },
    nowMs,
  )
  return secret
}

/**
 * Returns a link that signs a browser in, once. The person who starts the demo also administers it.
 */
export async function createDemoLink(
  url: string,
  store: ObjectStore,
  nowMs: number,
): Promise<string> {
  const scopes: readonly Scope[] = [...SCOPES, 'api:admin']
  const expiresAtMs = nowMs + TOKEN_TTL_MS
  const spec = { name: SESSION_NAME, scopes, ontologies: undefined, expiresAtMs }
  const { token } = await createApiToken(store, spec, nowMs)
  const caller = { kind: 'apiToken', tokenId: token.id } as const
  const { code } = await createSessionCode(store, caller, nowMs)
  // In the fragment, which browsers do not send: the code is in no log of a proxy.
  return `${url}/#code=${code}`
}

async function removeInvalidTokens(store: ObjectStore, nowMs: number): Promise<void> {
  const isInvalid = ({ revokedAtMs, expiresAtMs = Infinity }: ApiToken) =>
    revokedAtMs !== undefined || expiresAtMs <= nowMs
  const tokens = (await store.listApiTokens()).filter(isOfDemo).filter(isInvalid)
  await store.deleteApiTokens(tokens.map(({ id }) => id))
}

/** Tokens that a person gave the same name have another lifetime. */
function isOfDemo({ name, createdAtMs, expiresAtMs = 0 }: ApiToken): boolean {
  return [TOKEN_NAME, SESSION_NAME].includes(name) && expiresAtMs - createdAtMs === TOKEN_TTL_MS
}

/** Returns an example command to paste into a terminal. */
export function demoCommand(url: string, token: string): string {
  const path = `/api/v1/ontologies/${DEMO_DEFINITION.apiName}/objects/airport?pageSize=3`
  return `curl -H 'Authorization: Bearer ${token}' '${url}${path}'`
}
