/** What policies allow in an ontology. Rights add up, if all of them fit its definition. */
import { ObjectQueryError } from '../../contract/errors.ts'
import type { OntologyEntry } from '../../ontology/catalogue.ts'
import type { ObjectType, Ontology } from '../../ontology/ontology.ts'
import { matchAny } from '../../query/combine-queries.ts'
import { parseQuery } from '../../query/parse/parse-query.ts'
import type { QueryLimits } from '../../query/parse/query-budget.ts'
import { V2_QUERIES } from '../../query/parse/v2-query-language.ts'
import { EVERYTHING, type Query } from '../../query/query.ts'
import { tryClaims } from './claims.ts'
import { ALL_TYPES, type Claims, type Policy, type Right } from './policy.ts'

/** What a caller may do with one object type. */
export interface TypeRights {
  readonly canWrite: boolean
  /** Selects the visible objects. */
  readonly rows: Query
  readonly hidden: ReadonlySet<string>
}

/** What a caller may do with an ontology. */
export interface OntologyRights {
  readonly canAdminister: boolean
  /** Without the types that are not visible. */
  readonly types: ReadonlyMap<string, TypeRights>
}

const NO_PROPERTIES: ReadonlySet<string> = new Set()
const READ_ALL: TypeRights = { canWrite: false, rows: EVERYTHING, hidden: NO_PROPERTIES }
const WRITE_ALL: TypeRights = { canWrite: true, rows: EVERYTHING, hidden: NO_PROPERTIES }
/**
 * The rows of a right that uses a claim which the caller lacks: none. Compared by identity, since a
 * type whose rule selects no object is visible, and one without any right is not.
 */
const UNCLAIMED: Query = { kind: 'or', of: [] }

export interface RightsContext {
  readonly claims: Claims
  readonly limits: QueryLimits
}

/** Returns the rights of a policy that name an ontology. */
export function rightsIn(policy: Policy, { rid, apiName }: OntologyEntry): readonly Right[] {
  return policy.rights.filter(({ ontology }) => ontology === rid || ontology === apiName)
}

/**
 * Returns what the policies of one credential allow together; undefined if they allow nothing. If
 * one policy does not fit, all of them allow nothing: what it hides might be visible without it.
 * Returns the rights in all object types, or in those that are given.
 */
export function addUp(
  policies: readonly Policy[],
  ontology: Ontology,
  context: RightsContext,
  objectTypes: Ontology['objectTypes'] = ontology.objectTypes,
): OntologyRights | undefined {
  const named = policies.map((policy) => rightsIn(policy, ontology))
  if (named.flat().some((right) => !fits(right, ontology, context))) return undefined
  const parts = named.map((rights) => rightsOfPolicy(rights, objectTypes, context))
  const types = new Map<string, TypeRights>()
  for (const name of objectTypes.keys()) {
    const rights = union(parts.flatMap((part) => part.types.get(name) ?? []))
    if (rights !== undefined && rights.rows !== UNCLAIMED) types.set(name, rights)
  }
  const canAdminister = parts.some((part) => part.canAdminister)
  return types.size === 0 && !canAdminister ? undefined : { canAdminister, types }
}

/** Returns what both of two credentials allow, such as an OAuth client and a person. */
export function intersect(a: OntologyRights, b: OntologyRights): OntologyRights {
  const types = new Map<string, TypeRights>()
  for (const [name, first] of a.types) {
    const second = b.types.get(name)
    if (second !== undefined) types.set(name, both(first, second))
  }
  return { canAdminister: a.canAdminister && b.canAdminister, types }
}

/** Includes types with `UNCLAIMED` rows: what one policy hides stays hidden in others. */
function rightsOfPolicy(
  rights: readonly Right[],
  objectTypes: Ontology['objectTypes'],
  context: RightsContext,
): OntologyRights {
  const named = Map.groupBy(rights, ({ objectType }) => objectType)
  const others = union((named.get(ALL_TYPES) ?? []).map(({ access }) => allOfType(access)))
  const types = new Map<string, TypeRights>()
  for (const [name, objectType] of objectTypes) {
    const own = named.get(name)?.map((right) => rightsOfType(right, objectType, context))
    const combined = own === undefined ? others : union(own)
    if (combined !== undefined) types.set(name, combined)
  }
  return { canAdminister: rights.some(({ access }) => access === 'administer'), types }
}

/**
 * A right that no longer fits must not reveal anything: a renamed property would not be hidden, and
 * a renamed type would be one that the policy does not name.
 */
function fits(right: Right, ontology: Ontology, context: RightsContext): boolean {
  const objectType = ontology.objectTypes.get(right.objectType)
  if (right.objectType === ALL_TYPES) return true
  if (objectType === undefined) return false
  if (right.hide?.some((name) => !isHideable(name, objectType))) return false
  try {
    // Whether a rule fits does not depend on the claims that a caller has.
    if (right.where !== undefined) parseRule(right.where, objectType, context)
    rowsOf(right, objectType, context)
    return true
  } catch (error) {
    if (error instanceof ObjectQueryError) return false
    throw error
  }
}

/** The key identifies an object, so it cannot be hidden. */
export function isHideable(name: string, { properties, primaryKey }: ObjectType): boolean {
  return properties.has(name) && name !== primaryKey.apiName
}

function rightsOfType(right: Right, objectType: ObjectType, context: RightsContext): TypeRights {
  if (right.where === undefined && right.hide === undefined) return allOfType(right.access)
  const rows = rowsOf(right, objectType, context)
  return { canWrite: false, rows, hidden: new Set(right.hide) }
}

function rowsOf({ where }: Right, objectType: ObjectType, context: RightsContext): Query {
  if (where === undefined) return EVERYTHING
  const claimed = tryClaims(where, context.claims)
  return claimed === undefined ? UNCLAIMED : parseRule(claimed, objectType, context)
}

function parseRule(where: unknown, objectType: ObjectType, { limits }: RightsContext): Query {
  return parseQuery(V2_QUERIES, where, { objectType, limits })
}

function allOfType(access: Right['access']): TypeRights {
  return access === 'read' ? READ_ALL : WRITE_ALL
}

/** Rows add up. What one right hides stays hidden, unless another right allows everything. */
function union(rights: readonly TypeRights[]): TypeRights | undefined {
  const [first, ...others] = rights
  if (first === undefined || others.length === 0) return first
  const all = rights.filter(({ rows, hidden }) => rows === EVERYTHING && hidden.size === 0)
  if (all.length > 0) return all.some(({ canWrite }) => canWrite) ? WRITE_ALL : READ_ALL
  const claimed = rights.map(({ rows }) => rows).filter((rows) => rows !== UNCLAIMED)
  const rows = matchAny(claimed)
  return {
    canWrite: false,
    rows: claimed.length === 0 ? UNCLAIMED : rows.kind === 'everything' ? EVERYTHING : rows,
    hidden: new Set(rights.flatMap(({ hidden }) => [...hidden])),
  }
}

function both(a: TypeRights, b: TypeRights): TypeRights {
  const rows = [a.rows, b.rows].filter((one) => one !== EVERYTHING)
  const [first = EVERYTHING, second] = rows
  return {
    canWrite: a.canWrite && b.canWrite,
    rows: second === undefined ? first : { kind: 'and', of: [first, second] },
    hidden: new Set([...a.hidden, ...b.hidden]),
  }
}
