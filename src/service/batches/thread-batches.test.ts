import { expect, it } from 'vitest'
import { parseDefinition } from '../../ontology/definition/parse-definition.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import type { ChangeEncoder, ColumnLoad } from '../../store/object-store.ts'
import { ThreadBatches } from './thread-batches.ts'

function readType(): ObjectType {
  const properties = { id: { type: 'string' as const } }
  const objectTypes = [{ rid: 'ri.item', apiName: 'item', primaryKey: 'id', properties }]
  const ontology = parseDefinition({ rid: 'ri.test', apiName: 'test', objectTypes })
  return ontology.objectTypes.get('item') as ObjectType
}

const encoder: ChangeEncoder = {
  encode: (changes) => ({ count: [...changes].length, content: undefined, transfer: [] }),
  finish: () => [],
}

/** Columns that only collect keys. The key "full" does not fit. */
function collecting() {
  const keys: string[] = []
  const openLoad = (): ColumnLoad => ({
    add: ({ pk }) => {
      if (pk === 'full') throw new Error('the disk is full')
      keys.push(pk)
    },
    finish: () => ({ name: 'file', rows: keys.length, content: keys }),
    [Symbol.dispose]: () => {},
  })
  const threads = new ThreadBatches(() => encoder, openLoad)
  let batch = 0
  const send = (
    lines: readonly object[],
    type = 1,
    objectType: ObjectType | undefined = undefined,
  ) => {
    batch += 1
    const bytes = Uint8Array.from(Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n')))
    const encoding = { options: undefined }
    const creation = { userId: 'ada', nowMs: 0 }
    const opened = { type, objectType, evicted: [], creation, encoding, load: 'load' }
    return threads.answer({ batch, opened, bytes, isLast: true }).reply
  }
  const end = (isDropped = false) => threads.endLoad({ batch: 0, ended: 'load', isDropped })
  return { send, end }
}

const puts = (...keys: readonly string[]) => keys.map((id) => ({ put: { id } }))

it('the columns of a load have the objects of all its batches', () => {
  const { send, end } = collecting()
  send(puts('a', 'b'), 1, readType())
  send(puts('c'))
  expect(end()).toMatchObject({ loaded: { rows: 3, content: ['a', 'b', 'c'] } })
  expect(end()).toEqual({ batch: 0, loaded: undefined })
})

it.each([
  ['an object is deleted', [{ delete: 'a' }], 1],
  ['an object does not fit', puts('full'), 1],
  ['the definition has changed', puts('c'), 2],
])('there are no columns if %s, and the batches are parsed all the same', (_, lines, type) => {
  const { send, end } = collecting()
  send(puts('a'), 1, readType())
  expect(send(lines, type, type === 1 ? undefined : readType())).toMatchObject({
    parsed: { count: 1 },
  })
  expect(send(puts('d'))).toMatchObject({ parsed: { count: 1 } })
  expect(end()).toEqual({ batch: 0, loaded: undefined })
})

it('columns that are dropped are not completed', () => {
  const { send, end } = collecting()
  send(puts('a'), 1, readType())
  expect(end(true)).toEqual({ batch: 0, loaded: undefined })
})
