import { randomUUID } from 'node:crypto'
import { hasKey } from '../../http/page/find-object.ts'
import { Catalogue, findObjectType } from '../../ontology/catalogue.ts'
import { planChange } from '../../ontology/definition/change-definition.ts'
import { staysValid } from '../../ontology/definition/property-type.ts'
import type { ObjectType, Ontology } from '../../ontology/ontology.ts'
import { EVERYTHING, type Query } from '../../query/query.ts'
import type { ObjectStore, StoredPage } from '../../store/object-store.ts'
import { type DataPackage, missingPackages } from './data-packages.ts'
import { DEMO_DEFINITION } from './definition.ts'

/**
 * The objects of each type, in the order of loading. Known before the data is read, so that a demo
 * that is complete needs no data.
 */
export const DEMO_COUNTS: Readonly<Record<string, number>> = {
  country: 250,
  airport: 10_131,
  flight: 20_000,
  city: 135_233,
}

/** The last object of each type, which is loaded last. */
export const DEMO_LAST_KEYS: Readonly<Record<string, string>> = {
  country: 'ZW',
  airport: 'ZZV',
  flight: '20000',
  city: '1106542',
}

/** Small, so that stopping takes no time. A load that has begun could not go on with another. */
export const BATCH_OBJECTS = 1000

/** The demo as a store holds it. */
export interface Demo {
  /** Whether the store has the ontology of the demo, of this release or an earlier one. */
  readonly isThere: boolean
  /** The types that are not fully loaded, in the order of loading. */
  readonly unfinished: readonly string[]
  /** What must be installed before they can be. */
  readonly missing: readonly DataPackage[]
}

/** Finds out what is to be loaded. An empty store gets the definition; others are left alone. */
export async function openDemo(store: ObjectStore): Promise<Demo> {
  const catalogue = await store.readCatalogue()
  if (catalogue.ontologies.length > 0) return findDemo(store, catalogue)
  const missing = missingPackages()
  if (missing.length > 0) return { isThere: false, unfinished: Object.keys(DEMO_COUNTS), missing }
  const { apiName } = DEMO_DEFINITION
  await store.saveOntology(planChange(apiName, DEMO_DEFINITION, catalogue, randomUUID))
  return findDemo(store, await store.readCatalogue())
}

async function findDemo(store: ObjectStore, catalogue: Catalogue): Promise<Demo> {
  const ontology = catalogue.find(DEMO_DEFINITION.apiName)
  if (ontology === undefined) return { isThere: false, unfinished: [], missing: [] }
  if (!takesDemoObjects(ontology)) return { isThere: true, unfinished: [], missing: [] }
  const unfinished: string[] = []
  for (const [name, count] of Object.entries(DEMO_COUNTS)) {
    const objectType = findObjectType(ontology, name)
    const { version } = await readOne(store, objectType, EVERYTHING)
    const last = await readOne(store, objectType, hasKey(objectType, DEMO_LAST_KEYS[name] ?? ''))
    // What people write makes versions too, and what they delete may be the last object.
    if (version < Math.ceil(count / BATCH_OBJECTS) || last.count === 0) unfinished.push(name)
  }
  return { isThere: true, unfinished, missing: unfinished.length === 0 ? [] : missingPackages() }
}

/** An object type of the demo as it is defined now. */
export async function resolveDemoType(
  store: ObjectStore,
  name: string,
): Promise<{ readonly objectType: ObjectType; readonly generation: number }> {
  const catalogue = await store.readCatalogue()
  const ontology = catalogue.find(DEMO_DEFINITION.apiName)
  if (ontology === undefined || !takesDemoObjects(ontology)) {
    throw new Error(`the ontology ${DEMO_DEFINITION.apiName} was changed`)
  }
  return { objectType: findObjectType(ontology, name), generation: catalogue.generation }
}

/** An ontology of the same name may be of an earlier release, or people's own. */
function takesDemoObjects(ontology: Ontology): boolean {
  return [...DEMO_TYPES.values()].every((type) => {
    const stored = ontology.objectTypes.get(type.apiName)
    if (stored?.primaryKey.apiName !== type.primaryKey.apiName) return false
    return [...type.properties.values()].every((property) => {
      const kept = stored.properties.get(property.apiName)
      return kept !== undefined && staysValid(property.type, kept.type)
    })
  })
}

const NOTHING = new Catalogue(0, [])
const DEMO_TYPES = planChange(DEMO_DEFINITION.apiName, DEMO_DEFINITION, NOTHING, randomUUID)
  .ontology.objectTypes

/** Reads at most one object, which tells the version of the type and whether there is any. */
export async function readOne(
  store: ObjectStore,
  objectType: ObjectType,
  query: Query,
): Promise<StoredPage> {
  const page = await store.readPage({
    objectType,
    query,
    order: [],
    record: { shape: [{ column: 'key' }], selection: undefined },
    after: undefined,
    version: undefined,
    maxObjects: 1,
    maxBytes: 1,
    includeTotalCount: false,
    matchEstimate: 1,
  })
  // The newest version is never reclaimed.
  if (page === 'reclaimed') throw new Error('the newest version is gone')
  return page
}
