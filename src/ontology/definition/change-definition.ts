/**
 * Plans the change of an ontology: keeps existing RIDs, and finds the changes that would invalidate
 * stored objects.
 */

import type { Catalogue } from '../catalogue.ts'
import type { ObjectType, Ontology } from '../ontology.ts'
import type { OntologyDefinition } from './definition-schema.ts'
import { refuseLargeDefinition } from './definition-size.ts'
import { type Mistake, refuseMistakes } from './mistakes.ts'
import { parseDefinition } from './parse-definition.ts'
import { staysValid, typeName } from './property-type.ts'
import { isRid, objectTypeRid, ontologyRid } from './rid.ts'
import { ONTOLOGY_RID_PATTERN } from './rid-patterns.ts'

/** A definition that was checked against the catalogue, ready to be saved. */
export interface OntologyChange {
  readonly ontology: Ontology
  /** The catalogue generation against which the change was checked. */
  readonly basedOn: number
  /** The breaking changes; they matter only for object types that have objects. */
  readonly breakingChanges: readonly BreakingChange[]
}

/** The breaking changes of one object type. */
export interface BreakingChange {
  readonly typeRid: string
  readonly reasons: readonly string[]
}

/** Checks a definition, sent for a RID or an API name, against the catalogue. */
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
  return {
    ontology,
    basedOn: catalogue.generation,
    breakingChanges: findBreakingChanges(earlier, ontology),
  }
}

/** The path and the body must name the same ontology. A path with a RID can change the API name. */
function refuseMismatch(
  identifier: string,
  definition: OntologyDefinition,
  earlier: Ontology | undefined,
  catalogue: Catalogue,
): void {
  const mistakes: Mistake[] = []
  if (!isRid(identifier) && definition.apiName !== identifier) {
    mistakes.push({ path: 'apiName', reason: `is not ${identifier}, the name in the path` })
  }
  const rid = isRid(identifier) ? identifier : earlier?.rid
  if (definition.rid !== undefined && rid !== undefined && definition.rid !== rid) {
    mistakes.push({ path: 'rid', reason: `is not ${rid}, the RID of this ontology` })
  }
  const owner = definition.rid === undefined ? undefined : catalogue.find(definition.rid)
  if (earlier === undefined && owner !== undefined) {
    const reason =
      'belongs to another ontology; to rename that one, send the definition to the path with its RID'
    mistakes.push({ path: 'rid', reason })
  }
  if (isRid(identifier) && !new RegExp(ONTOLOGY_RID_PATTERN).test(identifier)) {
    mistakes.push({
      path: 'rid',
      reason: 'the RID in the path is not an ontology RID (ri.ontology.main.ontology.…)',
    })
  }
  definition.objectTypes.forEach((type, index) => {
    const kept = earlier?.objectTypes.get(type.apiName)?.rid
    if (kept === undefined || type.rid === undefined || type.rid === kept) return
    const reason = `is not ${kept}, the RID of this object type`
    mistakes.push({ path: `objectTypes[${index}].rid`, reason })
  })
  refuseMistakes(mistakes)
}

/** Fills in every RID: the existing one, or a new one. */
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

/** Refuses names and RIDs that other ontologies have, or that occur twice. */
function refuseTakenNames(ontology: Ontology, catalogue: Catalogue): void {
  const others = catalogue.ontologies.filter((other) => other.rid !== ontology.rid)
  const mistakes: Mistake[] = []
  if (others.some((other) => other.apiName === ontology.apiName)) {
    mistakes.push({ path: 'apiName', reason: `another ontology is named ${ontology.apiName}` })
  }
  ontology.families.forEach((family, index) => {
    // Does not name the other ontology, which the caller may not be allowed to see.
    if (others.some((other) => other.families.includes(family))) {
      mistakes.push({ path: `families[${index}]`, reason: 'belongs to another ontology' })
    }
  })
  const rids = new Set(others.flatMap((other) => [...other.objectTypes.values()].map((t) => t.rid)))
  ontology.definition.objectTypes.forEach(({ rid = '' }, index) => {
    if (rids.has(rid))
      mistakes.push({ path: `objectTypes[${index}].rid`, reason: 'belongs to another object type' })
    rids.add(rid)
  })
  refuseMistakes(mistakes)
}

/** Finds breaking changes. Types without objects can change freely; the store checks that. */
function findBreakingChanges(earlier: Ontology | undefined, changed: Ontology): BreakingChange[] {
  // By RID, which a type keeps when it is renamed.
  const after = new Map([...changed.objectTypes.values()].map((type) => [type.rid, type]))
  return [...(earlier?.objectTypes.values() ?? [])]
    .map((type) => ({ typeRid: type.rid, reasons: reasonsAgainst(type, after.get(type.rid)) }))
    .filter(({ reasons }) => reasons.length > 0)
}

function reasonsAgainst(before: ObjectType, after: ObjectType | undefined): string[] {
  if (after === undefined)
    return [`object type ${before.apiName} has objects and is missing from the definition`]
  const reasons: string[] = []
  if (after.primaryKey.apiName !== before.primaryKey.apiName) {
    reasons.push(
      `${before.apiName}: the primary key would change from ${before.primaryKey.apiName} to ${after.primaryKey.apiName}`,
    )
  }
  for (const property of before.properties.values()) {
    const name = `${before.apiName}.${property.apiName}`
    const kept = after.properties.get(property.apiName)
    if (kept === undefined) reasons.push(`property ${name} is missing from the definition`)
    else if (!staysValid(property.type, kept.type)) {
      reasons.push(
        `property ${name} would change from ${typeName(property.type)} to ${typeName(kept.type)}`,
      )
    }
  }
  return reasons
}
