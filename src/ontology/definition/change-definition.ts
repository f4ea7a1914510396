import type { Catalogue } from '../catalogue.ts'
import type { ObjectType, Ontology } from '../ontology.ts'
import type { OntologyDefinition } from './definition-schema.ts'
import { refuseLargeDefinition } from './definition-size.ts'
import { type Mistake, parseDefinition, refuseMistakes } from './parse-definition.ts'
import { staysValid, typeName } from './property-type.ts'
import { isRid, ONTOLOGY_RID_PATTERN, objectTypeRid, ontologyRid } from './rid.ts'

/**
 * What happens when a definition is applied over an earlier one: RIDs are kept, and nothing may
 * change that would make stored objects untrue.
 */

/** A definition that was checked against all others, ready to be saved. */
export interface OntologyChange {
  readonly ontology: Ontology
  /** The generation of the catalogue that the change was checked against. */
  readonly basedOn: number
  /** What it would do to object types that have objects. */
  readonly harms: readonly Harm[]
}

/** For one object type, the reasons to refuse the change if it has objects. */
export interface Harm {
  readonly typeRid: string
  readonly reasons: readonly string[]
}

/** Checks a definition, given under a RID or an API name, against what there is. */
export function planChange(
  identifier: string,
  definition: OntologyDefinition,
  catalogue: Catalogue,
  newUuid: () => string,
): OntologyChange {
  refuseLargeDefinition(definition)
  const earlier = catalogue.find(identifier)
  refuseMismatch(identifier, definition, earlier, catalogue)
  const named = isRid(identifier) ? { ...definition, rid: identifier } : definition
  const ontology = parseDefinition(completeDefinition(named, earlier, newUuid))
  refuseTakenNames(ontology, catalogue)
  return { ontology, basedOn: catalogue.generation, harms: harmsOf(earlier, ontology) }
}

/** The path and the body must name the same ontology; by RID it can be given another API name. */
function refuseMismatch(
  identifier: string,
  definition: OntologyDefinition,
  earlier: Ontology | undefined,
  catalogue: Catalogue,
): void {
  const mistakes: Mistake[] = []
  if (!isRid(identifier) && definition.apiName !== identifier) {
    mistakes.push({ path: 'apiName', reason: `is not ${identifier}, which the path names` })
  }
  const rid = isRid(identifier) ? identifier : earlier?.rid
  if (definition.rid !== undefined && rid !== undefined && definition.rid !== rid) {
    mistakes.push({ path: 'rid', reason: `is not ${rid}, which this ontology has` })
  }
  const owner = definition.rid === undefined ? undefined : catalogue.find(definition.rid)
  if (earlier === undefined && owner !== undefined) {
    const reason = 'belongs to another ontology; put the definition under the RID to rename it'
    mistakes.push({ path: 'rid', reason })
  }
  if (isRid(identifier) && !new RegExp(ONTOLOGY_RID_PATTERN).test(identifier)) {
    mistakes.push({ path: 'rid', reason: 'the path names a RID that no ontology can have' })
  }
  definition.objectTypes.forEach((type, index) => {
    const kept = earlier?.objectTypes.get(type.apiName)?.rid
    if (kept === undefined || type.rid === undefined || type.rid === kept) return
    const reason = `is not ${kept}, which this object type has`
    mistakes.push({ path: `objectTypes[${index}].rid`, reason })
  })
  refuseMistakes(mistakes)
}

/** Fills in every RID: kept from the earlier definition where there is one, new otherwise. */
function completeDefinition(
  definition: OntologyDefinition,
  earlier: Ontology | undefined,
  newUuid: () => string,
): OntologyDefinition {
  return {
    ...definition,
    rid: earlier?.rid ?? definition.rid ?? ontologyRid(newUuid()),
    objectTypes: definition.objectTypes.map((type) => ({
      ...type,
      rid: earlier?.objectTypes.get(type.apiName)?.rid ?? type.rid ?? objectTypeRid(newUuid()),
    })),
  }
}

/** Refuses names and RIDs that other ontologies have, or that stand for two things. */
function refuseTakenNames(ontology: Ontology, catalogue: Catalogue): void {
  const others = catalogue.ontologies.filter((other) => other.rid !== ontology.rid)
  const mistakes: Mistake[] = []
  if (others.some((other) => other.apiName === ontology.apiName)) {
    mistakes.push({ path: 'apiName', reason: `there is another ontology ${ontology.apiName}` })
  }
  ontology.families.forEach((family, index) => {
    // Not whose: the caller may not be allowed to know.
    if (others.some((other) => other.families.includes(family))) {
      mistakes.push({ path: `families[${index}]`, reason: 'belongs to another ontology' })
    }
  })
  const rids = new Set(others.flatMap((other) => [...other.objectTypes.values()].map((t) => t.rid)))
  ontology.definition.objectTypes.forEach(({ rid = '' }, index) => {
    if (rids.has(rid)) mistakes.push({ path: `objectTypes[${index}].rid`, reason: 'is taken' })
    rids.add(rid)
  })
  refuseMistakes(mistakes)
}

/** The harm that would be done to object types that have objects; empty types may change freely. */
function harmsOf(earlier: Ontology | undefined, changed: Ontology): Harm[] {
  // By RID, which stays when a type gets another name.
  const after = new Map([...changed.objectTypes.values()].map((type) => [type.rid, type]))
  return [...(earlier?.objectTypes.values() ?? [])]
    .map((type) => ({ typeRid: type.rid, reasons: reasonsAgainst(type, after.get(type.rid)) }))
    .filter(({ reasons }) => reasons.length > 0)
}

function reasonsAgainst(before: ObjectType, after: ObjectType | undefined): string[] {
  if (after === undefined) return [`object type ${before.apiName} has objects and is left out`]
  const reasons: string[] = []
  if (after.primaryKey.apiName !== before.primaryKey.apiName) {
    reasons.push(
      `${before.apiName}: the primary key would change from ${before.primaryKey.apiName} to ${after.primaryKey.apiName}`,
    )
  }
  for (const property of before.properties.values()) {
    const name = `${before.apiName}.${property.apiName}`
    const kept = after.properties.get(property.apiName)
    if (kept === undefined) reasons.push(`property ${name} is left out`)
    else if (!staysValid(property.type, kept.type)) {
      reasons.push(
        `property ${name} would change from ${typeName(property.type)} to ${typeName(kept.type)}`,
      )
    }
  }
  return reasons
}
