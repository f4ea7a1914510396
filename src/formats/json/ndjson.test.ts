import { describe, expect, it } from 'vitest'
import { allRows, contentOf, inChunks } from '../../../test/support/byte-chunks.ts'
import { exportEndLine } from '../export-end.ts'
import { readNdjson } from './ndjson.ts'

const read = (text: string | Uint8Array) => contentOf(readNdjson(inChunks(text)))

describe('NDJSON', () => {
  it('is one object per line', async () => {
    expect(await allRows(readNdjson(inChunks('\ufeff{"a": 1}\r\n\n  {"b":"é"}')))).toEqual([
      { line: 1, cells: { a: 1 }, json: '{"a": 1}\r' },
      { line: 3, cells: { b: 'é' }, json: '  {"b":"é"}' },
    ])
    expect(await read('')).toEqual([])
  })

  it('continues after a line that is not an object', async () => {
    const bytes = Buffer.from('{"a":1\n[1]\nnull\n"x"\n{"a":"\xe9"}\n{"a":2}\n', 'latin1')
    expect(await read(bytes)).toEqual([
      [1, 'is not JSON'],
      [2, 'is not a JSON object'],
      [3, 'is not a JSON object'],
      [4, 'is not a JSON object'],
      [5, 'is not UTF-8'],
      [6, { a: 2 }],
    ])
  })

  it('reads features as rows, and what only looks like one as it is', async () => {
    const point = { type: 'Point', coordinates: [8, 47] }
    const objects = [
      { type: 'Feature', id: 'a', properties: { n: 1, type: 'x' }, geometry: point },
      { type: 'Feature', properties: null, geometry: null },
      { type: 'Feature', properties: { n: 1 } },
      { type: 'Feature', properties: 'many', geometry: point },
      { type: 'Point', properties: {}, geometry: point },
    ]
    expect(await read(objects.map((each) => JSON.stringify(each)).join('\n'))).toEqual([
      [1, { id: 'a', n: 1, type: 'x', geometry: point }],
      [2, {}],
      ...objects.slice(2).map((each, index) => [3 + index, each]),
    ])
  })

  it('checks and skips end lines of exports, even several in one file', async () => {
    const first = `{"a":1}\n{"a":2}\n${exportEndLine('ndjson', 2, 7)}\n`
    expect(await read(first)).toHaveLength(2)
    expect(
      await read(
        `${first}{"a":3}\n${exportEndLine('ndjson', 1, 7)}\n${exportEndLine('ndjson', 0, 9)}`,
      ),
    ).toEqual([
      [1, { a: 1 }],
      [2, { a: 2 }],
      [4, { a: 3 }],
    ])
    await expect(read(`{"a":1}\n${exportEndLine('ndjson', 2, 7)}\n`)).rejects.toThrow(
      'line 2: the file was truncated or changed: the export had 2 objects, the file has 1',
    )
    await expect(read('{"a":1}\n{"$error":{"errorCode":"INTERNAL"}}\n')).rejects.toThrow(
      'line 2: the export failed here and is incomplete; export again',
    )
  })

  it('reads an object that only resembles an end line', async () => {
    const odd = ['{"$end":null}', '{"$end":{"count":1},"a":2}', '{"$end":{"count":"1"}}']
    expect(await read(odd.join('\n'))).toHaveLength(3)
  })
})
