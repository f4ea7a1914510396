import { randomUUID } from 'node:crypto'
import { planChange } from '../../ontology/change-definition.ts'
import { objectReader } from '../../ontology/read-object.ts'
import type { ObjectStore } from '../../store/object-store.ts'
import { createApiToken } from '../api-token.ts'
import { DEMO_DEFINITION } from './definition.ts'
import { DEMO_OBJECTS } from './objects.ts'

/** Loads the demo into an empty store; a store with any ontology is left alone. */
export async function loadDemo(store: ObjectStore, nowMs: number): Promise<void> {
  const before = await store.readCatalogue()
  if (before.ontologies.length > 0) return
  const { apiName } = DEMO_DEFINITION
  await store.saveOntology(planChange(apiName, DEMO_DEFINITION, before, randomUUID))

  const { generation, ontologies } = await store.readCatalogue()
  for (const objectType of ontologies.flatMap((ontology) => [...ontology.objectTypes.values()])) {
    const read = objectReader(objectType)
    const changes = (DEMO_OBJECTS[objectType.apiName] ?? []).map((object) => ({
      put: read(object),
    }))
    await store.commit({ objectType, changes, basedOn: generation, nowMs })
  }
}

const TOKEN_NAME = 'demo'
const TOKEN_LIFE_MS = 24 * 60 * 60 * 1000

/** A fresh token for whoever started the demo: secrets cannot be shown twice. */
export async function makeDemoToken(store: ObjectStore, nowMs: number): Promise<string> {
  const { secret } = await createApiToken(
    store,
    {
      name: TOKEN_NAME,
      scopes: ['api:ontologies-read', 'api:ontologies-write'],
      ontologies: undefined,
      expiresAtMs: nowMs + TOKEN_LIFE_MS,
    },
    nowMs,
  )
  return secret
}

/** What to paste into a terminal. */
export function demoCommand(url: string, token: string): string {
  const path = `/api/v1/ontologies/${DEMO_DEFINITION.apiName}/objects/airport?pageSize=3`
  return `curl -H 'Authorization: Bearer ${token}' '${url}${path}'`
}
