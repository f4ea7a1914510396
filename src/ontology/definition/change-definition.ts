/** Plans the change of an ontology: keeps existing RIDs, and finds what happens to stored objects. */

import type { Catalogue, OntologyEntry } from '../catalogue.ts'
import type { Ontology } from '../ontology.ts'
import { finish, type Steps } from '../pausable-work.ts'
import type { OntologyDefinition } from './definition-schema.ts'
import { refuseLargeDefinition } from './definition-size.ts'
import { Mistakes } from './mistakes.ts'
import { parseDefinition } from './parse-definition.ts'
import { earlierType, findRenames, linkKey, type Renames, recordRenames } from './renames.ts'
import { isRid, objectTypeRid, ontologyRid } from './rid.ts'
import { ONTOLOGY_RID_PATTERN } from './rid-patterns.ts'
import { compareObjectTypes, type TypeChange } from './type-change.ts'

/** A definition that was checked against the catalogue, ready to be saved. */
export interface OntologyChange extends ChangeOptions {
  /** A random name, by which a change that runs in the background is recognised. */
  readonly id: string
  readonly ontology: Ontology
  /** The catalogue generation against which the change was checked. */
  readonly basedOn: number
  /** What changes; types without objects can change in any way. Without unchanged types. */
  readonly types: readonly TypeChange[]
  readonly links: readonly LinkChange[]
}

/** How a change is carried out. */
export interface ChangeOptions {
  /** Whether values of stored objects may be dropped. */
  readonly allowDataLoss: boolean
  /** Whether the change is only tried: everything is checked, and nothing is changed. */
  readonly isDryRun: boolean
  /** When the change was requested, in milliseconds. */
  readonly requestedAtMs: number
}

/** Links store nothing, so they can change at any time. */
interface LinkChange {
  readonly kind: 'added' | 'renamed' | 'dropped'
  readonly linkType: string
  /** The object type that the link leads from. */
  readonly objectType: string
  /** The name before the change. */
  readonly from?: string
}

const STRICT: ChangeOptions = { allowDataLoss: false, isDryRun: false, requestedAtMs: 0 }

/** Checks a definition, sent for a RID or an API name, against the catalogue. */
export function planChange(...args: Parameters<typeof planChangeInSteps>): OntologyChange {
  return finish(planChangeInSteps(...args))
}

/** Does the same in steps: each takes some milliseconds if the definition is large. */
export function* planChangeInSteps(
  identifier: string,
  definition: OntologyDefinition,
  catalogue: Catalogue,
  newUuid: () => string,
  options: Partial<ChangeOptions> = {},
): Steps<OntologyChange> {
  refuseLargeDefinition(definition)
  const earlier = catalogue.find(identifier)
  const mistakes = new Mistakes()
  const renames = findRenames(definition, earlier, mistakes)
  findMismatches(identifier, definition, { earlier, renames, catalogue, mistakes })
  mistakes.refuse()
  yield
  const named = isRid(identifier) ? { ...definition, rid: identifier } : definition
  const completed = completeDefinition(
    recordRenames(named, earlier, renames),
    earlier,
    renames,
    newUuid,
  )
  yield
  const ontology = parseDefinition(completed)
  yield
  refuseTakenNames(ontology, catalogue)
  return {
    ...STRICT,
    ...options,
    ontology,
    basedOn: catalogue.generation,
    types: findTypeChanges(earlier, ontology, renames),
    links: findLinkChanges(earlier, ontology, renames),
    id: newUuid(),
  }
}

interface Checked {
  readonly earlier: Ontology | undefined
  readonly renames: Renames
  readonly catalogue: Catalogue
  readonly mistakes: Mistakes
}

/** The definition may come from another service. */
const FOREIGN =
  '; leave RIDs out of a definition of another service (`oqs ontology show --portable`)'

/** The path and the body must name the same ontology. A path with a RID can change the API name. */
function findMismatches(
  identifier: string,
  definition: OntologyDefinition,
  { earlier, renames, catalogue, mistakes }: Checked,
): void {
  if (!isRid(identifier) && definition.apiName !== identifier) {
    mistakes.add('apiName', `is not ${identifier}, the name in the path`)
  }
  const rid = isRid(identifier) ? identifier : earlier?.rid
  if (definition.rid !== undefined && rid !== undefined && definition.rid !== rid) {
    mistakes.add('rid', `is not ${rid}, the RID of this ontology${FOREIGN}`)
  }
  const owner = definition.rid === undefined ? undefined : catalogue.index.find(definition.rid)
  if (earlier === undefined && owner !== undefined) {
    const reason =
      'belongs to another ontology; to rename that one, send the definition to the path with its RID'
    mistakes.add('rid', reason)
  }
  if (isRid(identifier) && !new RegExp(ONTOLOGY_RID_PATTERN).test(identifier)) {
    mistakes.add('rid', 'the RID in the path is not an ontology RID (ri.ontology.main.ontology.…)')
  }
  definition.objectTypes.forEach((type, index) => {
    const kept = earlier?.objectTypes.get(renames.types.get(type.apiName) ?? type.apiName)?.rid
    if (kept === undefined || type.rid === undefined || type.rid === kept) return
    const reason = `is not ${kept}, the RID of this object type${FOREIGN}`
    mistakes.add(`objectTypes[${index}].rid`, reason)
  })
}

/** Fills in every RID: the existing one, or a new one. */
function completeDefinition(
  definition: OntologyDefinition,
  earlier: Ontology | undefined,
  { types }: Renames,
  newUuid: () => string,
): OntologyDefinition {
  return {
    ...definition,
    rid: earlier?.rid ?? definition.rid ?? ontologyRid(newUuid()),
    objectTypes: definition.objectTypes.map((type) => ({
      ...type,
      rid: earlierType(type, earlier, types)?.rid ?? type.rid ?? objectTypeRid(newUuid()),
    })),
  }
}

/** Refuses names that other ontologies have, and RIDs that occur twice. Stores refuse taken RIDs. */
function refuseTakenNames(ontology: Ontology, { index: names }: Catalogue): void {
  const isTaken = (entry: OntologyEntry | undefined) =>
    entry !== undefined && entry.rid !== ontology.rid
  const mistakes = new Mistakes()
  if (isTaken(names.find(ontology.apiName))) {
    mistakes.add('apiName', `another ontology is named ${ontology.apiName}`)
  }
  ontology.families.forEach((family, index) => {
    // Does not name the other ontology, which the caller may not be allowed to see.
    if (isTaken(names.findByFamily(family))) {
      mistakes.add(`families[${index}]`, 'belongs to another ontology')
    }
  })
  const rids = new Set<string>()
  ontology.definition.objectTypes.forEach(({ rid = '' }, index) => {
    if (rids.has(rid)) mistakes.add(`objectTypes[${index}].rid`, 'belongs to another object type')
    rids.add(rid)
  })
  mistakes.refuse()
}

function findTypeChanges(
  earlier: Ontology | undefined,
  changed: Ontology,
  renames: Renames,
): TypeChange[] {
  // By RID, which a type keeps when it is renamed.
  const before = new Map([...(earlier?.objectTypes.values() ?? [])].map((type) => [type.rid, type]))
  const changes = [...changed.objectTypes.values()].map((type): TypeChange => {
    const { rid: typeRid, apiName: objectType } = type
    const earlierOne = before.get(typeRid)
    before.delete(typeRid)
    const renamed = renames.properties.get(objectType) ?? new Map()
    const parts =
      earlierOne === undefined
        ? [{ kind: 'added', rewrites: false } as const]
        : compareObjectTypes(earlierOne, type, renamed)
    return { typeRid, objectType, changes: parts, renamed }
  })
  const dropped = [...before.values()].map(
    ({ rid: typeRid, apiName: objectType }): TypeChange => ({
      typeRid,
      objectType,
      changes: [{ kind: 'dropped', rewrites: false }],
      renamed: new Map(),
    }),
  )
  return [...changes, ...dropped].filter(({ changes: parts }) => parts.length > 0)
}

function findLinkChanges(
  earlier: Ontology | undefined,
  changed: Ontology,
  { types, links }: Renames,
): LinkChange[] {
  const before = new Map(earlier?.linkTypes.map((link) => [linkKey(link), link]))
  const changes = changed.linkTypes.flatMap((link): LinkChange[] => {
    const from = links.get(linkKey(link))
    const key = linkKey({ from: types.get(link.from) ?? link.from, apiName: from ?? link.apiName })
    const isKept = before.delete(key)
    const named = { linkType: link.apiName, objectType: link.from }
    if (!isKept) return [{ kind: 'added', ...named }]
    return from === undefined ? [] : [{ kind: 'renamed', ...named, from }]
  })
  const dropped = [...before.values()].map(
    ({ apiName, from }): LinkChange => ({ kind: 'dropped', linkType: apiName, objectType: from }),
  )
  return [...changes, ...dropped]
}
