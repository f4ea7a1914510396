/** Policies: named lists of rights, which tokens, OAuth clients and groups refer to by name. */
import { type Static, Type } from 'typebox'
import { namedObject, ONE_LINE } from '../../contract/schema-parts.ts'

const RIGHTS_MAX = 1000
const HIDDEN_MAX = 1000
const NAME_MAX_LENGTH = 200
const closed = { additionalProperties: false }

/** Stands for all object types of the ontology that the policy does not name. */
export const ALL_TYPES = '*'

const ACCESS = ['read', 'write', 'administer'] as const

export const PolicyName = Type.String({
  minLength: 1,
  maxLength: NAME_MAX_LENGTH,
  pattern: ONE_LINE,
  description: 'The name by which tokens, OAuth clients and groups refer to the policy.',
})

export const Right = namedObject(
  'Right',
  {
    ontology: Type.String({ minLength: 1, description: 'API name or RID of an ontology.' }),
    objectType: Type.String({
      minLength: 1,
      description: `API name of an object type, or \`${ALL_TYPES}\` for all that the policy does not name.`,
    }),
    access: Type.Enum([...ACCESS], {
      description:
        '`write` includes `read`. `administer` includes both, and changing the definition; it covers a whole ontology.',
    }),
    where: Type.Optional(
      Type.Unsafe<unknown>({
        type: 'object',
        description:
          'A query of v2 that selects the visible objects. In `eq` and `in`, the value `$caller.NAME` stands for a claim of the caller. Only with `read`.',
      }),
    ),
    hide: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 1,
        maxItems: HIDDEN_MAX,
        description: 'Properties that are not visible. Only with `read`.',
      }),
    ),
  },
  closed,
)

export const PolicyBody = Type.Object(
  {
    description: Type.Optional(Type.String({ maxLength: 10_000 })),
    rights: Type.Array(Right, {
      maxItems: RIGHTS_MAX,
      description: 'An empty list allows nothing.',
    }),
  },
  closed,
)

export type Right = Static<typeof Right>
export type PolicyBody = Static<typeof PolicyBody>

export const NamedPolicy = Type.Object({ name: PolicyName, ...PolicyBody.properties }, closed)

export interface Policy extends PolicyBody {
  readonly name: string
}

/** A text for each claim of a caller that rules can use. */
export type Claims = Readonly<Record<string, string | undefined>>

/** The claims that callers of every kind may have. */
const STANDARD_CLAIMS = ['name', 'subject', 'email'] as const

/** Returns the claims that rules can use. */
export function claimNames(providerClaims: readonly string[]): readonly string[] {
  return [...new Set([...STANDARD_CLAIMS, ...providerClaims])]
}
