/** An ontology as seen by a caller whose rights are limited by policies. */
import { hash } from 'node:crypto'
import type { OntologyEntry } from '../../ontology/catalogue.ts'
import type { ObjectTypeDefinition } from '../../ontology/definition/definition-schema.ts'
import { parseDefinition } from '../../ontology/definition/parse-definition.ts'
import { visibleDefinition } from '../../ontology/definition/visible-definition.ts'
import type { ObjectType, Ontology } from '../../ontology/ontology.ts'
import { replacedTypesBytes, viewBytes } from '../../ontology/ontology-bytes.ts'
import { replaceTypes } from '../../ontology/replace-types.ts'
import { EVERYTHING } from '../../query/query.ts'
import { ReadOnlyTypes, restrictType, ruleOf } from '../ruled-objects.ts'
import { tryClaims, usesClaims } from './claims.ts'
import type { Claims, Policy, Right } from './policy.ts'
import {
  addUp,
  intersect,
  type OntologyRights,
  type RightsContext,
  rightsIn,
  type TypeRights,
} from './policy-rights.ts'

/** What a caller sees and may change of one ontology. */
export interface CallerView {
  /** Without what the policies do not allow; undefined if they allow nothing. */
  readonly ontology: Ontology | undefined
  readonly canAdminister: boolean
  /** The memory that it needs in addition to the ontology itself, as an estimate. */
  readonly bytes: number
}

/** The policies of each credential of a caller: of the token, or of the client and the person. */
export type PolicyLists = readonly (readonly Policy[])[]

/** Memory of a parsed rule for each character of its text; its terms are small objects. */
const BYTES_PER_RULE_CHARACTER = 20

/** Returns what remains of an ontology. */
export function viewOntology(
  ontology: Ontology,
  lists: PolicyLists,
  context: RightsContext,
  readOnly = new ReadOnlyTypes(),
): CallerView {
  const rights = rightsOfLists(lists, ontology, context)
  if (rights === undefined) return { ontology: undefined, canAdminister: false, bytes: 0 }
  const { canAdminister } = rights
  const { objectTypes } = ontology
  if ([...objectTypes.keys()].every((name) => rights.types.get(name)?.canWrite)) {
    return { ontology, canAdminister, bytes: 0 }
  }
  const id = viewId(lists, ontology, context.claims)
  const visible = restrictOntology(ontology, rights, { id, readOnly })
  const sharedOf = ({ apiName }: ObjectType) => {
    const { canWrite, rows, hidden } = rights.types.get(apiName) ?? {}
    if (hidden === undefined || hidden.size > 0) return 'nothing'
    return canWrite || rows === EVERYTHING ? 'type' : 'properties'
  }
  const bytes = viewBytes(visible, sharedOf) + ruleBytes(lists, ontology, context.claims)
  return { ontology: visible, canAdminister, bytes }
}

/**
 * Returns what a caller sees, given what callers with the same policies see if each claim in a rule
 * stands for itself. Only the types whose rules use claims differ; everything else is shared.
 */
export function viewWithClaims(
  template: CallerView,
  ontology: Ontology,
  lists: PolicyLists,
  context: RightsContext,
): CallerView | undefined {
  // The caller may write everything.
  if (template.ontology === ontology) return template
  const claimed = claimedTypes(lists, ontology)
  const rights = rightsOfLists(lists, ontology, context, claimed)
  const types = new Map<string, ObjectType>()
  for (const name of claimed.keys()) {
    const type = template.ontology?.objectTypes.get(name)
    const rows = rights?.types.get(name)?.rows
    // A caller without a claim does not see the type, and so less than others of the definition.
    if (type === undefined || rows === undefined) return undefined
    const rule = ruleOf(type)
    if (rule === undefined) continue
    const { of, shown } = rule
    types.set(name, restrictType(type, { of, shown, rows }))
  }
  if (template.ontology === undefined) return undefined
  const id = viewId(lists, ontology, context.claims)
  const bytes = replacedTypesBytes(ontology, types) + ruleBytes(lists, ontology, context.claims)
  return { ...template, ontology: replaceTypes(template.ontology, types, id), bytes }
}

/** Returns the object types whose visible objects depend on the claims of a caller. */
function claimedTypes(lists: PolicyLists, ontology: Ontology): Map<string, ObjectType> {
  const types = new Map<string, ObjectType>()
  for (const { objectType: name, where } of lists
    .flat()
    .flatMap((one) => rightsIn(one, ontology))) {
    const objectType = ontology.objectTypes.get(name)
    if (objectType !== undefined && usesClaims(where)) types.set(name, objectType)
  }
  return types
}

function ruleBytes(lists: PolicyLists, ontology: Ontology, claims: Claims): number {
  return rightsText(lists, ontology, claims).length * BYTES_PER_RULE_CHARACTER
}

/**
 * Identifies what a caller sees of an ontology: the same for callers with the same rights in it. It
 * changes whenever a right in the ontology changes, and not with its definition.
 */
export function viewId(lists: PolicyLists, entry: OntologyEntry, claims: Claims): string {
  return hash('sha256', rightsText(lists, entry, claims), 'base64url').slice(0, 22)
}

/** True if policies can make an ontology visible: one of each credential names it. */
export function nameOntology(lists: PolicyLists, entry: OntologyEntry): boolean {
  return lists.every((policies) => policies.some((policy) => rightsIn(policy, entry).length > 0))
}

function rightsOfLists(
  lists: PolicyLists,
  ontology: Ontology,
  context: RightsContext,
  objectTypes = ontology.objectTypes,
): OntologyRights | undefined {
  const [first, ...others] = lists.map((policies) =>
    addUp(policies, ontology, context, objectTypes),
  )
  const rights = others.reduce((a, b) => a && b && intersect(a, b), first)
  return rights?.types.size === 0 && !rights.canAdminister ? undefined : rights
}

/** Shares everything with the ontology that the rights do not change. */
function restrictOntology(
  ontology: Ontology,
  { types }: OntologyRights,
  { id, readOnly }: { readonly id: string; readonly readOnly: ReadOnlyTypes },
): Ontology {
  const definition = visibleDefinition(ontology, (name) => types.get(name)?.hidden)
  return parseDefinition(definition, undefined, {
    id,
    typeOf: (visible, parse) => restrictedType(visible, parse, ontology, types, readOnly),
  })
}

function restrictedType(
  { apiName }: ObjectTypeDefinition,
  parse: () => ObjectType | undefined,
  { objectTypes }: Ontology,
  types: ReadonlyMap<string, TypeRights>,
  readOnly: ReadOnlyTypes,
): ObjectType | undefined {
  const of = objectTypes.get(apiName)
  const rights = types.get(apiName)
  if (of === undefined || rights === undefined) throw new Error('a hidden type is in a view')
  if (rights.canWrite) return of
  const { rows, hidden } = rights
  if (hidden.size === 0 && rows === EVERYTHING) return readOnly.of(of)
  if (hidden.size === 0) return restrictType(of, { of, rows, shown: undefined })
  const visible = parse()
  return visible && restrictType(visible, { of, rows, shown: [...visible.properties.keys()] })
}

/** The rights in an ontology, with the claims of a caller in their rules. */
function rightsText(lists: PolicyLists, entry: OntologyEntry, claims: Claims): string {
  return JSON.stringify(
    lists.map((policies) =>
      policies.map((policy) => claimedRights(rightsIn(policy, entry), claims)),
    ),
  )
}

/** Differs whenever the meaning of rights does. */
function claimedRights(rights: readonly Right[], claims: Claims): readonly unknown[] {
  return rights.map(({ where, ...right }) => [
    right,
    where === undefined ? null : (tryClaims(where, claims) ?? 'missing claim'),
  ])
}
