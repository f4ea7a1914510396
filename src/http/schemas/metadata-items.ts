/** Ontologies and link types as JSON: what revision 1.0 and v2 have in common. */
import { Type } from 'typebox'
import type { LinkSide } from '../../ontology/ontology.ts'
import type { OntologySummary } from '../../store/object-store.ts'

export const OntologyResponse = Type.Object({
  apiName: Type.String(),
  displayName: Type.String(),
  description: Type.String(),
  rid: Type.String(),
})

/** Returns every member, even if empty: published clients reject an ontology without one. */
type DescribedOntology = Pick<OntologySummary, 'rid' | 'apiName'> & Partial<OntologySummary>

export function describeOntology(ontology: DescribedOntology) {
  const { apiName, rid, displayName = apiName, description = '' } = ontology
  return { apiName, displayName, description, rid }
}

export const LinkTypeResponse = Type.Object({
  apiName: Type.String(),
  displayName: Type.String(),
  status: Type.Enum(['ACTIVE']),
  objectTypeApiName: Type.String({ description: 'API name of the linked object type.' }),
  cardinality: Type.Enum(['ONE', 'MANY']),
  foreignKeyPropertyApiName: Type.Optional(
    Type.String({ description: 'The property that contains the key of the linked object.' }),
  ),
})

export function describeLink({
  apiName,
  displayName,
  linkedType,
  cardinality,
  foreignKey,
}: LinkSide) {
  return {
    apiName,
    displayName,
    status: 'ACTIVE',
    objectTypeApiName: linkedType.apiName,
    cardinality,
    foreignKeyPropertyApiName: foreignKey,
  }
}
