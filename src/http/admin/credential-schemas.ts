/** The members that API tokens and OAuth clients have in common. */
import { type Static, Type } from 'typebox'
import type { CredentialSpec } from '../../access/api-tokens.ts'
import { PolicyName } from '../../access/policies/policy.ts'
import { readPolicyNames } from '../../access/policies/stored-policies.ts'
import { closed, ONE_LINE, optional, time } from '../../contract/schema-parts.ts'
import { SCOPES, type Scope } from '../../contract/scopes.ts'
import type { ApiToken, Documents } from '../../store/object-store.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const MAX_DAYS = 36_500
const NAME_MAX_LENGTH = 200
const LIST_MAX_ITEMS = 1000
const POLICIES_MAX = 100

const ScopeName = Type.Enum(Object.keys(SCOPES) as Scope[], { title: 'Scope' })
const OntologyNames = Type.Array(Type.String({ minLength: 1 }), {
  minItems: 1,
  maxItems: LIST_MAX_ITEMS,
  description: 'API names or RIDs of ontologies. Absent: all.',
})

const PolicyNames = Type.Array(PolicyName, {
  minItems: 1,
  maxItems: POLICIES_MAX,
  description:
    'Names of policies, which limit it to what at least one of them allows. Absent: no limit.',
})

/** The members of a request that creates a token or a client. Null means absent. */
export const credentialMembers = {
  name: Type.String({
    minLength: 1,
    maxLength: NAME_MAX_LENGTH,
    pattern: ONE_LINE,
    description: 'What it is for.',
  }),
  scopes: optional(
    Type.Array(ScopeName, {
      minItems: 1,
      maxItems: Object.keys(SCOPES).length,
      description: 'Default: `api:ontologies-read`.',
    }),
  ),
  ontologies: optional(OntologyNames),
  policies: optional(PolicyNames),
  days: optional(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: MAX_DAYS,
      description: 'Days until it expires. Default: never.',
    }),
  ),
}

export const CredentialBody = Type.Object(credentialMembers, closed)

/** The members of a stored token or client. */
export const storedMembers = {
  id: Type.String(),
  name: Type.String(),
  scopes: Type.Array(ScopeName),
  ontologies: Type.Optional(OntologyNames),
  policies: Type.Optional(PolicyNames),
  createdAt: time(),
  expiresAt: Type.Optional(time('Absent if it never expires.')),
}

/** Returns what a request asks for. Refuses policies that do not exist. */
export async function readCredential(
  { name, scopes, ontologies, policies, days }: Static<typeof CredentialBody>,
  documents: Documents,
  nowMs: number,
): Promise<CredentialSpec> {
  return {
    name,
    scopes: [...new Set(scopes ?? (['api:ontologies-read'] as const))],
    ontologies: ontologies ?? undefined,
    policies: await readPolicyNames(policies, documents, nowMs),
    expiresAtMs: days == null ? undefined : nowMs + Math.round(days * DAY_MS),
  }
}

/** Returns a time as responses write it. */
export function timeText(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString()
}

/** A stored token or client, whose policies are one list or several. */
interface StoredCredential
  extends Pick<ApiToken, 'id' | 'name' | 'scopes' | 'ontologies' | 'createdAtMs' | 'expiresAtMs'> {
  readonly policies?: readonly (string | readonly string[])[] | undefined
  readonly revokedAtMs?: number | undefined
}

/** Returns the members of `storedMembers`. */
export function storedTexts(stored: StoredCredential) {
  const { id, name, scopes, ontologies, policies, createdAtMs, expiresAtMs, revokedAtMs } = stored
  return {
    id,
    name,
    scopes,
    ontologies,
    policies: policies?.flat(),
    createdAt: timeText(createdAtMs),
    expiresAt: timeText(expiresAtMs),
    ...(revokedAtMs === undefined ? {} : { revokedAt: timeText(revokedAtMs) }),
  }
}
