/** The catalogue as seen by a caller whose rights are limited by policies. */
import { hash } from 'node:crypto'
import { Catalogue } from '../../ontology/catalogue.ts'
import { parseDefinition } from '../../ontology/definition/parse-definition.ts'
import { visibleDefinition } from '../../ontology/definition/visible-definition.ts'
import type { ObjectType, Ontology } from '../../ontology/ontology.ts'
import { tryClaims } from './claims.ts'
import type { Claims, Policy, Right } from './policy.ts'
import {
  addUp,
  intersect,
  type OntologyRights,
  type RightsContext,
  rightsIn,
  type TypeRights,
} from './policy-rights.ts'
import { restrictType } from './restricted-type.ts'

/** What a caller sees and may change. */
export interface CatalogueView {
  readonly catalogue: Catalogue
  /** RIDs of the ontologies whose definition the caller may change. */
  readonly administered: ReadonlySet<string>
}

/** The policies of each credential of a caller: of the token, or of the client and the person. */
export type PolicyLists = readonly (readonly Policy[])[]

/** Returns what remains of a catalogue. What the policies do not allow is absent. */
export function viewCatalogue(
  catalogue: Catalogue,
  lists: PolicyLists,
  context: RightsContext,
): CatalogueView {
  const administered = new Set<string>()
  const ontologies = catalogue.ontologies.flatMap((ontology) => {
    const rights = rightsOfLists(lists, ontology, context)
    if (rights === undefined) return []
    if (rights.canAdminister) administered.add(ontology.rid)
    return [viewOntology(ontology, rights, viewId(lists, ontology, context))]
  })
  return { catalogue: new Catalogue(catalogue.generation, ontologies), administered }
}

function rightsOfLists(
  lists: PolicyLists,
  ontology: Ontology,
  context: RightsContext,
): OntologyRights | undefined {
  const [first, ...others] = lists.map((policies) => addUp(policies, ontology, context))
  const rights = others.reduce((a, b) => a && b && intersect(a, b), first)
  return rights?.types.size === 0 && !rights.canAdminister ? undefined : rights
}

function viewOntology(ontology: Ontology, { types }: OntologyRights, id: string): Ontology {
  const { objectTypes } = ontology
  if ([...objectTypes.keys()].every((name) => types.get(name)?.canWrite)) return ontology
  const definition = visibleDefinition(ontology, (name) => types.get(name)?.hidden)
  return parseDefinition(definition, undefined, {
    id,
    typeOf: (visible) => viewType(visible, objectTypes, types),
  })
}

function viewType(
  visible: ObjectType,
  objectTypes: Ontology['objectTypes'],
  types: ReadonlyMap<string, TypeRights>,
): ObjectType {
  const of = objectTypes.get(visible.apiName)
  const rights = types.get(visible.apiName)
  if (of === undefined || rights === undefined) throw new Error('a hidden type is in a view')
  if (rights.canWrite) return of
  const { rows, hidden } = rights
  const shown = hidden.size === 0 ? undefined : [...visible.properties.keys()]
  return restrictType(visible, { of, rows, shown })
}

/** Returns the same text for callers who see the same part of every catalogue. */
export function rightsKey(lists: PolicyLists, claims: Claims): string {
  return JSON.stringify(
    lists.map((policies) => policies.map(({ rights }) => claimedRights(rights, claims))),
  )
}

/** Changes whenever a right in the ontology changes, and not with its definition. */
function viewId(lists: PolicyLists, ontology: Ontology, { claims }: RightsContext): string {
  const rights = lists.map((policies) =>
    policies.map((policy) => claimedRights(rightsIn(policy, ontology), claims)),
  )
  return hash('sha256', JSON.stringify(rights), 'base64url').slice(0, 22)
}

/** Rights with the claims of a caller in their rules. Differs whenever their meaning does. */
function claimedRights(rights: readonly Right[], claims: Claims): readonly unknown[] {
  return rights.map(({ where, ...right }) => [
    right,
    where === undefined ? null : (tryClaims(where, claims) ?? 'missing claim'),
  ])
}
