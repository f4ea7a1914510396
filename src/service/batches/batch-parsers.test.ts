import { expect, it } from 'vitest'
import { parseDefinition } from '../../ontology/definition/parse-definition.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { FEW_CHANGES } from '../../store/object-store.ts'
import { BatchParsers } from './batch-parsers.ts'

const module = new URL('../../../test/support/ending-encoder.ts', import.meta.url).href
const encoding = { module, optionsFor: async ({ apiName }: ObjectType) => apiName }
const owner = { callerId: 'a' }

const CREATION = { userId: 'ada', nowMs: 0, newUuid: () => 'new' }

function typeOf(apiName: string): ObjectType {
  const properties = { id: { type: 'string' as const } }
  const objectTypes = [{ rid: `ri.${apiName}`, apiName, primaryKey: 'id', properties }]
  const ontology = parseDefinition({ rid: 'ri.test', apiName: 'test', objectTypes })
  return ontology.objectTypes.get(apiName) as ObjectType
}

const linesOf = (count: number) =>
  Buffer.from(Array.from({ length: count }, (_, n) => `{"put":{"id":"${n}"}}\n`).join(''))

async function parse(parsers: BatchParsers, type: ObjectType, count: number) {
  using batch = await parsers.open(type, owner, { creation: CREATION, isDryRun: false })
  const bytes = Uint8Array.from(linesOf(count))
  const first = await batch.parse(bytes.slice(0, 1000), false)
  const last = await batch.parse(bytes.slice(1000), true)
  return { count: first.count + last.count, parts: [...first.parts, ...last.parts] }
}

it('encodes many changes, and returns few as they are', async () => {
  await using parsers = new BatchParsers(encoding, { threads: 1 })
  const few = await parse(parsers, typeOf('item'), FEW_CHANGES)
  expect(few.count).toBe(FEW_CHANGES)
  expect(few.parts).toEqual([expect.arrayContaining([{ put: expect.anything() }])])
  const many = await parse(parsers, typeOf('item'), FEW_CHANGES + 1)
  const keys = Array.from({ length: FEW_CHANGES + 1 }, (_, n) => String(n))
  expect(many.parts).toEqual([
    { count: FEW_CHANGES + 1, content: keys, transfer: [] },
    { count: 0, content: 'item', transfer: [] },
  ])
})

it('keeps the types that it used last', async () => {
  await using parsers = new BatchParsers(encoding, { threads: 1 })
  const types = Array.from({ length: 120 }, (_, n) => typeOf(`item${n}`))
  for (const type of [...types, ...types.slice(0, 2)]) {
    expect((await parse(parsers, type, 101)).parts.at(-1)).toMatchObject({ content: type.apiName })
  }
})

it('fails the batches of a thread that ends with 503, and starts another thread', async () => {
  await using parsers = new BatchParsers(encoding, { threads: 1 })
  const lost = await Promise.allSettled([
    parse(parsers, typeOf('ending'), 10),
    parse(parsers, typeOf('item'), 10),
  ])
  for (const { status, ...result } of lost) {
    expect([status, result]).toEqual([
      'rejected',
      { reason: expect.objectContaining({ errorName: 'ServiceUnavailable' }) },
    ])
  }
  await expect(parse(parsers, typeOf('failing'), 10)).rejects.toThrow('the encoder failed')
  expect((await parse(parsers, typeOf('item'), 10)).count).toBe(10)
})

it('parses bytes of another caller before those of one with many batches', async () => {
  await using parsers = new BatchParsers(encoding, { threads: 1 })
  const order: string[] = []
  const parseAs = async (callerId: string) => {
    using batch = await parsers.open(
      typeOf('item'),
      { callerId },
      { creation: CREATION, isDryRun: true },
    )
    await batch.parse(Uint8Array.from(linesOf(10)), true)
    order.push(callerId)
  }
  await parseAs('a')
  order.length = 0
  const many = Array.from({ length: 32 }, () => parseAs('a'))
  await Promise.all([...many, parseAs('b')])
  expect(order.indexOf('b')).toBeLessThan(5)
})
