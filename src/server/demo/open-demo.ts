/** Defines the demo in an empty store, and finds out which of its types are not fully loaded. */
import { randomUUID } from 'node:crypto'
import { Catalogue, findObjectType } from '../../ontology/catalogue.ts'
import { planChange } from '../../ontology/definition/change-definition.ts'
import { staysValid } from '../../ontology/definition/property-type.ts'
import type { ObjectType, Ontology } from '../../ontology/ontology.ts'
import type { Query } from '../../query/query.ts'
import { keyEquals } from '../../service/pages/find-object.ts'
import { probeRequest } from '../../service/pages/probe-request.ts'
import type { ObjectStore, StoredPage } from '../../store/object-store.ts'
import { INTERNAL_CONTEXT } from '../../store/port/request-context.ts'
import { type DataPackage, missingPackages } from './data-packages.ts'
import { DEMO_DEFINITION } from './definition.ts'

/**
 * The number of objects of each type, in the order of loading. Constants, so that a complete demo
 * does not read its data packages.
 */
export const DEMO_COUNTS: Readonly<Record<string, number>> = {
  country: 250,
  airport: 10_131,
  flight: 20_000,
  city: 135_233,
}

/** The primary key of the object of each type that is loaded last. */
export const DEMO_LAST_KEYS: Readonly<Record<string, string>> = {
  country: 'ZW',
  airport: 'ZZV',
  flight: '20000',
  city: '1106542',
}

/** Small, so that the service stops quickly. */
export const BATCH_OBJECTS = 5000

/** The state of the demo in a store. */
export interface Demo {
  /** Whether the store has the ontology of the demo, of this release or an earlier one. */
  readonly isDefined: boolean
  /** The types that are not fully loaded, in the order of loading. */
  readonly unfinished: readonly string[]
  /** The packages that must be installed to load them. */
  readonly missing: readonly DataPackage[]
}

/** Returns the state of the demo. Defines it in an empty store; other stores are not changed. */
export async function openDemo(store: ObjectStore): Promise<Demo> {
  const catalogue = await readDemo(store)
  if (catalogue.index.entries.length > 0) return findDemo(store, catalogue)
  const missing = missingPackages()
  if (missing.length > 0) return { isDefined: false, unfinished: Object.keys(DEMO_COUNTS), missing }
  const { apiName } = DEMO_DEFINITION
  await store.saveOntology(planChange(apiName, DEMO_DEFINITION, catalogue, randomUUID))
  return findDemo(store, await readDemo(store))
}

function readDemo(store: ObjectStore): Promise<Catalogue> {
  const { callerId } = INTERNAL_CONTEXT
  return store.readCatalogue({ named: [{ ontology: DEMO_DEFINITION.apiName }], callerId })
}

async function findDemo(store: ObjectStore, catalogue: Catalogue): Promise<Demo> {
  const ontology = catalogue.find(DEMO_DEFINITION.apiName)
  if (ontology === undefined) return { isDefined: false, unfinished: [], missing: [] }
  if (!acceptsDemoObjects(ontology)) return { isDefined: true, unfinished: [], missing: [] }
  const unfinished: string[] = []
  for (const name of Object.keys(DEMO_COUNTS)) {
    const objectType = findObjectType(ontology, name)
    const last = await readOne(store, objectType, keyEquals(objectType, DEMO_LAST_KEYS[name] ?? ''))
    // Users may have written objects of their own. If they have deleted the last one, others show
    // that the type is loaded.
    if (last.count === 0) unfinished.push(name)
  }
  return { isDefined: true, unfinished, missing: unfinished.length === 0 ? [] : missingPackages() }
}

/** Returns the current definition of an object type of the demo. */
export async function resolveDemoType(
  store: ObjectStore,
  name: string,
): Promise<{ readonly objectType: ObjectType; readonly generation: number }> {
  const catalogue = await readDemo(store)
  const ontology = catalogue.find(DEMO_DEFINITION.apiName)
  if (ontology === undefined || !acceptsDemoObjects(ontology)) {
    throw new Error(`the ontology ${DEMO_DEFINITION.apiName} was changed`)
  }
  return { objectType: findObjectType(ontology, name), generation: catalogue.generation }
}

/** An ontology of the same name may be one of the user, or one that the user has changed. */
function acceptsDemoObjects(ontology: Ontology): boolean {
  return [...DEMO_TYPES.values()].every((type) => {
    const stored = ontology.objectTypes.get(type.apiName)
    if (stored?.primaryKey.apiName !== type.primaryKey.apiName) return false
    return [...type.properties.values()].every((property) => {
      const existing = stored.properties.get(property.apiName)
      return existing !== undefined && staysValid(property.type, existing.type)
    })
  })
}

const NOTHING = new Catalogue(0, [])
const DEMO_TYPES = planChange(DEMO_DEFINITION.apiName, DEMO_DEFINITION, NOTHING, randomUUID)
  .ontology.objectTypes

/** Reads at most one object, which shows the version of the type and whether a match exists. */
export async function readOne(
  store: ObjectStore,
  objectType: ObjectType,
  query: Query,
): Promise<StoredPage> {
  const probe = probeRequest(objectType, query, { includeTotalCount: false })
  const page = await store.readPage({ ...probe, matchEstimate: 1 })
  // The newest version is never reclaimed.
  if (page === 'reclaimed') throw new Error('the newest version was reclaimed')
  return page
}
