import { expect, it } from 'vitest'
import { fromSearch } from '../view/view-state.ts'
import { toPandasCode, toPandasGroups, toPythonSdkCode } from './python-code.ts'

const objectType = {
  apiName: 'city',
  rid: 't',
  primaryKey: 'id',
  properties: { id: { type: 'integer' }, name: { type: 'string' }, spot: { type: 'geopoint' } },
} as const
const ontology = { apiName: 'world', rid: 'r', families: ['w'], objectTypes: [objectType] }
const of = (search: string) => ({
  ontology,
  objectType,
  view: fromSearch(new URLSearchParams(search)),
})
const URL = 'https://objects.example.com'

it('reads all pages into a data frame', () => {
  const filtered = toPandasCode(of('w=name:eq:a"b&o=name:desc'), URL)
  expect(filtered).toContain('session.post(url, json=body)')
  expect(filtered).toContain('"value": "a\\"b"')
  expect(filtered).toContain('"direction": "desc"')
  expect(filtered).toContain('body["pageToken"] = page["nextPageToken"]')
  expect(filtered).not.toMatch(/undefined|null|true|false/)
  expect(toPandasCode(of('at=snapshot'), URL)).toContain('"snapshot": True')
})

it('uses the official SDK', () => {
  const plain = toPythonSdkCode(of('o=name:desc&at=snapshot'), URL)
  expect(plain).toContain('hostname="objects.example.com",\n)')
  expect(plain).toContain('order_by="properties.name:desc",\n    snapshot=True,')
  const filtered = toPythonSdkCode(of('w=name:eq:x'), 'http://127.0.0.1:8080')
  expect(filtered).toContain('config=Config(scheme="http")')
  expect(filtered).toContain('where={"type": "eq", "field": "name", "value": "x"},')
  expect(() => toPythonSdkCode(of('in=1,2,3,4'), URL)).toThrow('a box')
})

it('reads the groups of a chart into data frames', () => {
  const one = { groupBy: [], aggregation: [{ type: 'count', name: 'count' }] }
  const single = toPandasGroups({ method: 'POST', path: '/aggregate', json: one }, URL)
  expect(single).toContain('url = "https://objects.example.com/aggregate"')
  expect(single).toContain('for answer in [response.json()]:')
  const json = { aggregations: [one, one], version: undefined }
  const several = toPandasGroups({ method: 'POST', path: '/aggregateBatch', json }, URL)
  expect(several).toContain('for answer in response.json()["data"]:')
  expect(several).not.toMatch(/undefined|version/)
})
