import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contentOf, cutsArbitrary, inChunks } from '../../../test/support/byte-chunks.ts'
import { fcOptions } from '../../../test/support/fc-options.ts'
import { formatOfBytes } from '../file-format.ts'
import { parseExactly } from './exact-json.ts'
import { readJsonArray } from './json-array.ts'

const read = (text: string | Uint8Array, cuts?: readonly number[]) =>
  contentOf(readJsonArray(inChunks(text, cuts)))

const oddText = fc.string({
  unit: fc.constantFrom('a', 'é', '\u{1f600}', '"', '\\', '{', ']', ',', '\n', '\ud800'),
})

describe('a JSON array', () => {
  it('yields the same objects in any spelling and any chunks', async () => {
    const objects = fc.array(
      fc.dictionary(oddText, fc.oneof(oddText, fc.double(), fc.jsonValue({ maxDepth: 2 }))),
      { maxLength: 5 },
    )
    await fc.assert(
      fc.asyncProperty(objects, cutsArbitrary, fc.nat(3), async (values, cuts, indent) => {
        const text = JSON.stringify(values, null, indent)
        const parsed = parseExactly(text).value
        expect((await read(text, cuts)).map(([, cells]) => cells)).toEqual(parsed)
      }),
      fcOptions(100),
    )
  })

  it('reports the line on which each object starts', async () => {
    const text = '\ufeff\n[\n {"a":\n1}\n ,{"b": "]}\\"\\\\"},\n\n{"c":{"d":[{}]}} ]\n \n'
    for (const cuts of [[1], [2], [100]]) {
      expect(await read(text, cuts)).toEqual([
        [3, { a: 1 }],
        [5, { b: ']}"\\' }],
        [7, { c: { d: [{}] } }],
      ])
    }
    expect(await read(' [ ] ')).toEqual([])
  })

  it('continues after an element that is not an object', async () => {
    const text = Buffer.from('[1, "],", null,\n[{}], {"a":01}, {"\xe9":1}, {"a":1}]', 'latin1')
    for (const cuts of [[1], [3], [100]]) {
      expect(await read(text, cuts)).toEqual([
        [1, 'is not a JSON object'],
        [1, 'is not a JSON object'],
        [1, 'is not a JSON object'],
        [2, 'is not a JSON object'],
        [2, 'is not JSON'],
        [2, 'is not UTF-8'],
        [2, { a: 1 }],
      ])
    }
  })

  it('skips an element that is too large', async () => {
    const text = `[{"a":"${'x'.repeat(9_000_000)}"},{"a":1}]`
    expect(await read(text, [65_536])).toEqual([
      [1, 'is longer than 8388608 bytes'],
      [1, { a: 1 }],
    ])
  })

  it.each([
    ['[{"a":1},\n{"b"', 'line 2: the file ends inside the object that starts here'],
    ['[{"a":1},\n{"b":"x', 'line 2: the file ends inside the object that starts here'],
    ['[1', 'line 1: the file ends inside the object that starts here'],
    ['[{"a":1}\n', 'line 2: the file ends before the array does'],
    ['[{"a":1},', 'line 1: the file ends before the array does'],
    ['[', 'line 1: the file ends before the array does'],
    ['[{"a":1}\n{"b":1}]', 'line 2: expected a comma or the end of the array'],
    ['[{"a":1}}]', 'line 1: expected a comma or the end of the array'],
    ['[{"a":1},\n]', 'line 2: expected an object'],
    ['[,{"a":1}]', 'line 1: expected an object'],
    ['[{"a":1}]\n[', 'line 2: there is data after the end of the array'],
    [
      '{\n"a":1}',
      'line 1: a single JSON object; expected an array of objects, one object per line, or a GeoJSON FeatureCollection',
    ],
    ['{"type":"FeatureCollection","features":{}}', 'line 1: a single JSON object'],
    ['{"a":"features","b":[{}],"features":3}', 'line 1: a single JSON object'],
    ['{"a":[{"features":[]}]', 'line 1: a single JSON object'],
    ['{"features":[{"type":"Feature"', 'line 1: the file ends inside the object'],
    ['{"features":[]\n', 'line 2: the file ends before the collection does'],
    ['a,b\n1,2', 'line 1: expected the beginning of a JSON array'],
    [' \n', 'the file contains no JSON'],
  ])('%j cannot be read: %s', async (text, message) => {
    for (const cuts of [[1], [100]]) {
      await expect(read(text, cuts)).rejects.toThrow(message)
      await expect(read(text, cuts)).rejects.toHaveProperty('name', 'UnreadableFile')
    }
  })
})

describe('a GeoJSON collection', () => {
  const point = '{"type":"Point","coordinates":[8.5,47.4]}'
  const collection = `{"name":"features [","crs":{"features":[1]},"type":"FeatureCollection",
"features":[
 {"type":"Feature","id":7,"properties":{"name":"a, \\"b\\" }","big":123456789012345678},"geometry":${point}},
 {"type":"Feature","properties":{"id":"x","geometry":1},"geometry":${point},"id":"y"},
 {"properties":null,"geometry":null,"type":"Feature"},
 {"attributes":{}} , 5
],"bbox":[1,{}]}\n`

  it('yields the id, the properties and the geometry of each feature', async () => {
    const geometry = { type: 'Point', coordinates: [8.5, 47.4] }
    for (const cuts of [[1], [3], [7], [1000]]) {
      expect(await read(collection, cuts)).toEqual([
        [3, { id: 7, name: 'a, "b" }', big: 123456789012345678n, geometry }],
        [4, { 'feature id': 'y', id: 'x', geometry: 1, 'feature geometry': geometry }],
        [5, {}],
        [6, 'is not a GeoJSON feature'],
        [6, 'is not a JSON object'],
      ])
    }
  })

  it('is recognised by its content', () => {
    const formatOf = (text: string, name?: 'json') => formatOfBytes(Buffer.from(text), name)
    expect(formatOf(collection)).toBe('json')
    expect(formatOf('{"features": [{ "type": "Feature", "id": 1', 'json')).toBe('json')
    expect(formatOf('{"features":["a"],"id":1}\n')).toBe('ndjson')
    expect(formatOf('{"id":1,"shape":{"type":"FeatureCollection"}}\n')).toBe('ndjson')
  })
})
