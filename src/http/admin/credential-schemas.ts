/** The members that API tokens and OAuth clients have in common. */
import { type TProperties, Type } from 'typebox'
import { optional } from '../../contract/schema-parts.ts'
import { SCOPES, type Scope } from '../../contract/scopes.ts'
import { PolicyName } from '../../query/rights/policy.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const MAX_DAYS = 36_500
const NAME_MAX_LENGTH = 200
const LIST_MAX_ITEMS = 1000
const POLICIES_MAX = 100

const ScopeName = Type.Enum(Object.keys(SCOPES) as Scope[])
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

/** The members of a stored token or client. */
export const storedCredentialMembers = {
  id: Type.String(),
  name: Type.String(),
  scopes: Type.Array(ScopeName),
  ontologies: Type.Optional(OntologyNames),
  policies: Type.Optional(PolicyNames),
  createdAt: Type.String({ format: 'date-time' }),
  expiresAt: Type.Optional(
    Type.String({ format: 'date-time', description: 'Absent if it never expires.' }),
  ),
}

/** The response that lists stored tokens or clients. */
export function listOf<Members extends TProperties>(members: Members) {
  const lastUsedAt = Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'The last use, to within five minutes. Absent if there was none in 400 days.',
    }),
  )
  return Type.Object({ data: Type.Array(Type.Object({ ...members, lastUsedAt })) })
}

export interface WrittenCredential {
  readonly name: string
  readonly scopes?: readonly Scope[] | null
  readonly ontologies?: readonly string[] | null
  readonly policies?: readonly string[] | null
  readonly days?: number | null
}

/** Returns what a request asks for. */
export function readCredential(
  { name, scopes, ontologies, days }: WrittenCredential,
  nowMs: number,
) {
  return {
    name,
    scopes: [...new Set(scopes ?? (['api:ontologies-read'] as const))],
    ontologies: ontologies ?? undefined,
    expiresAtMs: days == null ? undefined : nowMs + Math.round(days * DAY_MS),
  }
}

/** Returns a time as responses write it. */
export function timeText(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString()
}
