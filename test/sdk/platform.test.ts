/** The functions of the published v1 and v2 packages, unmodified, against a running service. */
import { createPlatformClient, type PlatformClient } from '@osdk/client'
import {
  LinkedObjectsV2,
  ObjectTypesV2,
  OntologiesV2,
  OntologyInterfaces,
  OntologyObjectSets,
  OntologyObjectsV2,
} from '@osdk/foundry.ontologies'
import {
  ObjectTypes as ObjectTypesV1,
  Ontologies,
  OntologyObjects,
} from '@osdk/internal.foundry.ontologies'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AIRPORTS, STATIONS, startPlaces } from '../support/places.ts'
import { ADMIN_TOKEN, type Service } from '../support/service.ts'

let service: Service
let client: PlatformClient
let rid: string
beforeAll(async () => {
  const started = await startPlaces()
  service = started.service
  rid = started.ontologyRid
  client = createPlatformClient(service.url, async () => ADMIN_TOKEN)
})
afterAll(() => service[Symbol.asyncDispose]())

const ids = (objects: readonly { readonly properties: Readonly<Record<string, unknown>> }[]) =>
  objects.map(({ properties }) => properties['id'])
const keys = (objects: readonly Readonly<Record<string, unknown>>[]) =>
  objects.map((object) => object['__primaryKey'] ?? object['$primaryKey'])
const AIRPORT_IDS = AIRPORTS.map(({ id }) => id).toSorted()

describe('@osdk/internal.foundry.ontologies', () => {
  it('reads ontologies and object types', async () => {
    expect((await Ontologies.list(client)).data.map(({ apiName }) => apiName)).toEqual(['places'])
    expect(await Ontologies.get(client, rid)).toMatchObject({ apiName: 'places', rid })
    const { data } = await ObjectTypesV1.list(client, rid, { pageSize: 10 })
    expect(data.map(({ apiName }) => apiName)).toContain('airport')
    const airport = await ObjectTypesV1.get(client, rid, 'airport')
    expect(airport).toMatchObject({
      primaryKey: ['id'],
      properties: { id: { baseType: 'String' } },
    })
    const links = await ObjectTypesV1.listOutgoingLinkTypes(client, rid, 'airport')
    expect(links.data.map(({ apiName }) => apiName)).toContain('country')
  })

  it('lists pages to the end, selected and sorted', async () => {
    const seen: unknown[] = []
    let pageToken: string | undefined
    do {
      const page = await OntologyObjects.list(client, rid, 'airport', {
        pageSize: 1,
        properties: ['name'],
        orderBy: 'properties.id:desc',
        ...(pageToken && { pageToken }),
      })
      seen.push(...ids(page.data as never))
      pageToken = page.nextPageToken
    } while (pageToken !== undefined)
    expect(seen).toEqual(AIRPORT_IDS.toReversed())
  })

  it('gets, searches, aggregates and follows links', async () => {
    const [first] = AIRPORTS
    const object = await OntologyObjects.get(client, rid, 'airport', String(first?.id), {
      properties: [],
    })
    expect(object.properties).toEqual(first)
    const found = await OntologyObjects.search(client, rid, 'airport', {
      query: { type: 'eq', field: 'properties.id', value: first?.id },
      fields: ['name'],
    })
    expect(ids(found.data as never)).toEqual([first?.id])
    expect(found.totalCount).toBe('1')
    const counted = await OntologyObjects.aggregate(client, rid, 'airport', {
      aggregation: [{ type: 'count', name: 'n' }],
      groupBy: [],
    })
    expect(counted.data).toMatchObject([{ metrics: [{ name: 'n', value: AIRPORTS.length }] }])
    const withCountry = AIRPORTS.find((airport) => 'countryCode' in airport)
    const linked = await OntologyObjects.listLinkedObjects(
      client,
      rid,
      'airport',
      String(withCountry?.id),
      'country',
      { properties: [] },
    )
    expect(linked.data).toHaveLength(1)
  })

  it('reports errors by name', async () => {
    await expect(
      OntologyObjects.get(client, rid, 'airport', 'none', { properties: [] }),
    ).rejects.toMatchObject({
      errorName: 'ObjectNotFound',
      statusCode: 404,
      parameters: { objectType: 'airport' },
    })
    await expect(
      OntologyObjects.list(client, rid, 'airport', { properties: [], pageToken: 'v1.none' }),
    ).rejects.toMatchObject({ errorName: 'InvalidPageToken' })
  })
})

describe('@osdk/foundry.ontologies', () => {
  const all = { select: [], selectV2: [] }
  const airports = { type: 'base', objectType: 'airport' } as const

  it('reads metadata', async () => {
    expect((await OntologiesV2.list(client)).data).toHaveLength(1)
    expect(await OntologiesV2.get(client, 'places')).toMatchObject({ rid })
    const metadata = await OntologiesV2.getFullMetadata(client, rid)
    expect(Object.keys(metadata.objectTypes)).toContain('airport')
    expect(Object.keys(metadata.interfaceTypes)).toEqual(['Named', 'Place'])
    expect(Object.keys(metadata.actionTypes)).toContain('create-airport')
    const { data } = await ObjectTypesV2.list(client, rid)
    const [type] = data
    expect(await ObjectTypesV2.get(client, rid, type?.apiName ?? '')).toEqual(type)
    const full = await ObjectTypesV2.getFullMetadata(client, rid, 'airport', { preview: true })
    expect(full.implementsInterfaces).toContain('Place')
    const links = await ObjectTypesV2.listOutgoingLinkTypes(client, rid, 'airport')
    expect(links.data.map(({ apiName }) => apiName)).toContain('country')
  })

  it('lists, gets, counts and searches', async () => {
    const { data } = await OntologyObjectsV2.list(client, rid, 'airport', {
      select: [],
      snapshot: true,
    })
    expect(keys(data)).toEqual(AIRPORT_IDS)
    const [first] = AIRPORTS
    const one = await OntologyObjectsV2.get(client, rid, 'airport', String(first?.id), {
      select: [],
    })
    expect(one).toMatchObject({ ...first, __apiName: 'airport' })
    const { count } = await OntologyObjectsV2.count(client, rid, 'airport')
    expect(count).toBe(AIRPORTS.length)
    const found = await OntologyObjectsV2.search(client, rid, 'airport', {
      ...all,
      where: { type: 'in', field: 'id', value: AIRPORT_IDS.slice(0, 2) },
      orderBy: { fields: [{ field: 'id', direction: 'desc' }] },
    })
    expect(keys(found.data)).toEqual(AIRPORT_IDS.slice(0, 2).toReversed())
    expect(found.totalCount).toBe('2')
  })

  it('loads object sets, links of them, and temporary ones', async () => {
    const where = { type: 'isNull', field: 'countryCode', value: false } as const
    const objectSet = { type: 'filter', objectSet: airports, where } as const
    const loaded = await OntologyObjectSets.load(client, rid, { ...all, objectSet })
    const expected = AIRPORTS.filter((one) => 'countryCode' in one).map(({ id }) => id)
    expect(keys(loaded.data)).toEqual(expected.toSorted())
    const { objectSetRid } = await OntologyObjectSets.createTemporary(client, rid, { objectSet })
    const reference = { type: 'reference', reference: objectSetRid } as const
    const again = await OntologyObjectSets.load(client, rid, { ...all, objectSet: reference })
    expect(again.data).toEqual(loaded.data)
    expect(await OntologyObjectSets.get(client, rid, objectSetRid)).toEqual(objectSet)
    const links = await OntologyObjectSets.loadLinks(
      client,
      rid,
      { objectSet, links: ['country'] },
      { preview: true },
    )
    expect(links.data.length).toBeGreaterThan(0)
    const { data } = await OntologyObjectSets.aggregate(client, rid, {
      objectSet,
      aggregation: [{ type: 'count', name: 'n' }],
      groupBy: [],
    })
    expect(data).toMatchObject([{ metrics: [{ name: 'n', value: expected.length }] }])
  })

  it('reads interfaces and sets of several types', async () => {
    const { data } = await OntologyInterfaces.list(client, rid)
    expect(data.map(({ apiName }) => apiName)).toEqual(['Named', 'Place'])
    expect(await OntologyInterfaces.get(client, rid, 'Place')).toMatchObject({ apiName: 'Place' })
    const objectSet = { type: 'interfaceBase', interfaceType: 'Place' } as const
    const several = await OntologyObjectSets.loadMultipleObjectTypes(
      client,
      rid,
      { ...all, objectSet },
      { preview: true },
    )
    expect(several.data).toHaveLength(AIRPORTS.length + STATIONS.length)
    const either = await OntologyObjectSets.loadObjectsOrInterfaces(
      client,
      rid,
      { ...all, objectSet },
      { preview: true },
    )
    expect(keys(either.data)).toEqual(keys(several.data))
    const found = await OntologyInterfaces.search(
      client,
      rid,
      'Place',
      {
        where: { type: 'gt', field: 'height', value: 0 },
        augmentedProperties: {},
        augmentedSharedPropertyTypes: {},
        augmentedInterfacePropertyTypes: {},
        selectedSharedPropertyTypes: [],
        selectedInterfacePropertyTypes: [],
        selectedObjectTypes: [],
        otherInterfaceTypes: [],
      },
      { preview: true },
    )
    expect(found.data.length).toBeGreaterThan(0)
  })

  it('follows links of one object', async () => {
    const from = String(AIRPORTS.find((airport) => 'countryCode' in airport)?.id)
    const linked = await LinkedObjectsV2.listLinkedObjects(
      client,
      rid,
      'airport',
      from,
      'country',
      { select: [] },
    )
    expect(linked.data).toHaveLength(1)
    const [key] = keys(linked.data)
    const object = await LinkedObjectsV2.getLinkedObject(
      client,
      rid,
      'airport',
      from,
      'country',
      String(key),
      { select: [] },
    )
    expect(object).toMatchObject({ __primaryKey: key })
  })

  it('reports errors by name', async () => {
    await expect(
      OntologyObjectsV2.search(client, rid, 'airport', {
        ...all,
        where: { type: 'eq', field: 'nme', value: 'x' },
      }),
    ).rejects.toMatchObject({ errorName: 'PropertiesNotFound', statusCode: 404 })
    await expect(
      OntologyObjectSets.load(client, 'none', { ...all, objectSet: airports }),
    ).rejects.toMatchObject({ errorName: 'OntologyNotFound' })
    const denied = createPlatformClient(service.url, async () => 'wrong')
    await expect(OntologiesV2.list(denied)).rejects.toMatchObject({ statusCode: 401 })
  })
})
