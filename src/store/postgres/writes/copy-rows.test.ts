import { expect, it } from 'vitest'
import { parseDefinition } from '../../../ontology/definition/parse-definition.ts'
import type { ObjectType } from '../../../ontology/ontology.ts'
import { objectReader } from '../../../ontology/values/read-object.ts'
import type { Change, EncodedChanges } from '../../object-store.ts'
import { NO_PREFIX_FIELDS } from '../../sql/compile/field-numbers.ts'
import { CAPABILITIES } from '../citus/capabilities.ts'
import { COPY_HEADER, COPY_TRAILER } from '../driver/copy-buffer.ts'
import type { WriteSession } from '../driver/database.ts'
import { createEncoder, type EncodedPuts } from './change-encoder.ts'
import { addRows, closeNothing } from './copy-rows.ts'
import { settleChanges } from './settled-changes.ts'

const objectType = itemType()
const readObject = objectReader(objectType)

function itemType(): ObjectType {
  const properties = { id: { type: 'string' as const } }
  const objectTypes = [{ rid: 'ri.item', apiName: 'item', primaryKey: 'id', properties }]
  const ontology = parseDefinition({ rid: 'ri.test', apiName: 'test', objectTypes })
  return ontology.objectTypes.get('item') as ObjectType
}

/** Encodes objects with the given keys in parts, as a thread does. */
function encode(keys: readonly string[], perPart: number): EncodedChanges[] {
  const encoder = createEncoder(objectType, [])
  const changes = keys.map((id): Change => ({ put: readObject({ id }) }))
  const parts: EncodedChanges[] = []
  for (let at = 0; at < changes.length; at += perPart) {
    parts.push(encoder.encode(changes.slice(at, at + perPart)))
  }
  return parts
}

async function copyChunks(parts: readonly EncodedChanges[], rows: number, versions = [7]) {
  async function* changes() {
    yield* parts
  }
  const settled = await settleChanges({ changes: changes() }, false)
  let chunks: Uint8Array[] = []
  const session = {
    async copyIn(_: string, sent: AsyncIterable<Uint8Array>) {
      chunks = await Array.fromAsync(sent)
      return rows
    },
  } as unknown as WriteSession
  for (const version of versions) {
    const table = { typeId: 1, id: 1, liveCount: 0, prefixFields: NO_PREFIX_FIELDS }
    const encoded = await settled.encode([], settled.changes)
    await addRows(
      session,
      CAPABILITIES.postgres,
      { ...table, fields: [], version },
      encoded,
      closeNothing,
    )
  }
  return { settled, chunks, bytes: Buffer.concat(chunks) }
}

/** The version and the key of each row. */
function readRows(bytes: Buffer): [version: number, key: string][] {
  const rows: [number, string][] = []
  expect(bytes.subarray(0, COPY_HEADER.length)).toEqual(COPY_HEADER)
  let at = COPY_HEADER.length
  for (let left = bytes.readInt16BE(at); left !== -1; left = bytes.readInt16BE(at)) {
    at += 2
    const values: Buffer[] = []
    for (; left > 0; left -= 1) {
      const length = Math.max(0, bytes.readInt32BE(at))
      values.push(bytes.subarray(at + 4, at + 4 + length))
      at += 4 + length
    }
    // The second value is the version that closes the row.
    rows.push([Number(values[0]?.readBigInt64BE()), String(values[2])])
  }
  expect(bytes.subarray(at)).toEqual(COPY_TRAILER)
  return rows
}

const KEYS = Array.from({ length: 2000 }, (_, n) => `k${String(n).padStart(5, '0')}`)
const SHUFFLED = KEYS.toSorted((a, b) => a.slice(3).localeCompare(b.slice(3)))

it.each([
  ['in key order', KEYS],
  ['in no order', SHUFFLED],
])('sends encoded rows %s with their version, in chunks', async (_, keys) => {
  const { chunks, bytes } = await copyChunks(encode(keys, 300), keys.length)
  expect(readRows(bytes)).toEqual(KEYS.map((key) => [7, key]))
  expect(Math.max(...chunks.map(({ length }) => length))).toBeLessThanOrEqual(64 * 1024)
  expect(chunks.length).toBeLessThan(20)
})

it('sends rows again with another version', async () => {
  const { bytes } = await copyChunks(encode(KEYS, 300), KEYS.length, [7, 2 ** 53 - 1])
  expect(readRows(bytes)).toEqual(KEYS.map((key) => [2 ** 53 - 1, key]))
})

it('does not copy neighbours, and frees the memory of committed rows', async () => {
  const parts = encode(KEYS, 500)
  const memory = parts.map(({ content }) => (content as EncodedPuts).rows.buffer)
  const { settled, chunks } = await copyChunks(parts, KEYS.length)
  expect(new Set(chunks.map(({ buffer }) => buffer)).intersection(new Set(memory)).size).toBe(4)
  settled.free()
  expect(memory.every(({ detached }) => detached)).toBe(true)
})

it('cuts a long row', async () => {
  const long = `k${'\u{1f600}'.repeat(30_000)}`
  await expect(copyChunks(encode(['a', 'b'], 2), 1)).rejects.toThrow('wrote 1 of 2 rows')
  const { chunks, bytes } = await copyChunks(encodeBody(long), 1)
  expect(bytes.includes(Buffer.from(long))).toBe(true)
  expect(Math.max(...chunks.map(({ length }) => length))).toBe(64 * 1024)
})

/** Encodes an object whose body is a long text. */
function encodeBody(body: string): EncodedChanges[] {
  const encoder = createEncoder(objectType, [])
  return [encoder.encode([{ put: { ...readObject({ id: 'a' }), body } }])]
}
