import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { Catalogue } from '../../ontology/catalogue.ts'
import { planChange } from '../../ontology/definition/change-definition.ts'
import { objectReader } from '../../ontology/values/read-object.ts'
import { DATA_PACKAGES, installCommand, missingPackages } from './data-packages.ts'
import { DEMO_DEFINITION } from './definition.ts'
import type { DemoObject } from './demo-object.ts'
import { DEMO_COUNTS, DEMO_LAST_KEYS } from './open-demo.ts'
import { openSources } from './sources.ts'

const { ontology } = planChange('aviation', DEMO_DEFINITION, new Catalogue(0, []), randomUUID)
/** A sample, because checking every city would be slow. */
const CHECKED_CITIES = 5000

let objects: Readonly<Record<string, readonly DemoObject[]>>
beforeAll(async () => {
  const sources = openSources()
  const read = Object.keys(sources).map(async (name) => [
    name,
    [...((await sources[name]?.()) ?? [])],
  ])
  objects = Object.fromEntries(await Promise.all(read))
})

const find = (type: string, key: unknown) =>
  objects[type]?.find((object) => object[keyOf(type)] === key)
const keyOf = (type: string) => ontology.objectTypes.get(type)?.primaryKey.apiName ?? ''
const keysOf = (type: string) => new Set(objects[type]?.map((object) => object[keyOf(type)]))

describe('the data of the demo', () => {
  it('has the expected number of objects, each once', () => {
    expect(Object.keys(objects)).toEqual(Object.keys(DEMO_COUNTS))
    for (const [type, count] of Object.entries(DEMO_COUNTS)) {
      expect([type, objects[type]?.length]).toEqual([type, count])
      expect([type, keysOf(type).size]).toEqual([type, count])
      expect(String(objects[type]?.at(-1)?.[keyOf(type)])).toBe(DEMO_LAST_KEYS[type])
    }
  })

  it('is valid under the definition', () => {
    for (const type of ontology.objectTypes.values()) {
      const read = objectReader(type)
      const all = objects[type.apiName] ?? []
      const step = type.apiName === 'city' ? Math.floor(all.length / CHECKED_CITIES) : 1
      for (let at = 0; at < all.length; at += step) read(all[at])
    }
  })

  it('has no dangling links', () => {
    for (const { from, to, foreignKey } of DEMO_DEFINITION.linkTypes ?? []) {
      const keys = keysOf(to)
      const dangling = objects[from]?.filter((object) => !keys.has(object[foreignKey]))
      expect([from, to, dangling]).toEqual([from, to, []])
    }
  })

  it('has the same order at every load', async () => {
    const again = [...((await openSources()['airport']?.()) ?? [])]
    expect(again).toEqual(objects['airport'])
  })

  it('has the names of a country in many languages', () => {
    expect(find('country', 'JP')).toMatchObject({
      name: 'Japan',
      capital: 'Tokyo',
      currencies: [{ code: 'JPY', name: 'Japanese yen', symbol: '¥' }],
      names: expect.arrayContaining([
        { language: 'eng', text: 'Japan' },
        { language: 'jpn', text: '日本' },
        { language: 'fra', text: 'Japon' },
      ]),
    })
    expect(find('country', 'DE')?.['borders']).toContain('PL')
  })

  it('omits wrong and unknown values', () => {
    expect(find('country', 'SJ')).toMatchObject({ areaKm2: null })
    // A railway station, a bus station, a city, and a code that IATA has not assigned.
    for (const code of ['QKL', 'QYZ', 'PAR', 'YR6']) expect(find('airport', code)).toBeUndefined()
    // In the source of the cities, this code belongs to another airport.
    expect(find('airport', 'AUH')).toMatchObject({ countryCode: 'AE', city: null })
    // The source has metres.
    expect(find('airport', 'TPE')).toMatchObject({ runwayFeet: null })
    expect(find('airport', 'KKM')).toMatchObject({ timeZone: 'Asia/Bangkok' })
    const emptyCities = objects['city']?.filter(({ population }) => population === 0)
    expect(emptyCities).toEqual([])
  })

  it('has departures in the time zone of the airport', () => {
    expect(find('airport', 'DTW')).toMatchObject({ timeZone: 'America/New_York', city: 'Detroit' })
    expect(find('flight', 1)).toEqual({
      id: 1,
      route: 'DTW-LAS',
      date: '2001-01-01',
      departure: '2001-01-01T00:47-05:00',
      delayMinutes: 66,
      late: true,
      distanceMiles: 1750,
      origin: 'DTW',
      destination: 'LAS',
    })
    expect(objects['flight']?.filter(({ departure }) => departure === null)).toEqual([])
  })

  it('reads the same cities as their package', () => {
    expect(find('city', 2950159)).toMatchObject({
      name: 'Berlin',
      countryCode: 'DE',
      isCapital: true,
      location: { coordinates: [13.41053, 52.52437] },
    })
  })
})

describe('the packages of the demo', () => {
  it('are installed in the versions that the command names', () => {
    expect(missingPackages()).toEqual([])
    const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
    const command = installCommand(DATA_PACKAGES)
    for (const name of DATA_PACKAGES) {
      expect(devDependencies[name]).toMatch(/^\d+\.\d+\.\d+$/)
      expect(command).toContain(` ${name}@${devDependencies[name]}`)
    }
  })
})
