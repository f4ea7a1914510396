import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fcOptions } from '../../../test/support/fc-options.ts'
import { parseDefinition } from '../../ontology/definition/parse-definition.ts'
import { type BatchLimits, ChangeReader, changeMakers } from './change-reader.ts'

const CREATION = { userId: 'ada', nowMs: 0, newUuid: () => 'new' }
const limits: BatchLimits = { maxBytes: 10_000, maxLineBytes: 200, maxChanges: 100 }

function readChunks(chunks: readonly Uint8Array[], within = limits): readonly string[] {
  const reader = new ChangeReader(itemType(), changeMakers(itemType(), CREATION), within)
  const changes = [...chunks.flatMap((chunk) => reader.take(chunk)), ...reader.end()]
  return changes.map((change) => ('put' in change ? change.put.pk : `-${change.delete}`))
}

function itemType() {
  const definition = {
    rid: 'ri.ontology.main.ontology.1',
    apiName: 'test',
    objectTypes: [
      {
        rid: 'ri.ontology.main.object-type.1',
        apiName: 'item',
        primaryKey: 'id',
        properties: { id: { type: 'string' as const } },
      },
    ],
  }
  const type = parseDefinition(definition).objectTypes.get('item')
  if (type === undefined) throw new Error('the definition has no type')
  return type
}

/** The changes, or the parameters of the error. */
function outcomeOf(chunks: readonly Uint8Array[]): unknown {
  try {
    return readChunks(chunks)
  } catch (error) {
    return (error as { parameters: unknown }).parameters
  }
}

const put = (id: string) => JSON.stringify({ put: { id } })

describe('the changes of a batch', () => {
  it('are the same for every division into chunks', () => {
    const key = fc.string({ unit: fc.constantFrom('a', 'é', '\u{1f600}', ' ') })
    const line = fc.oneof(
      { weight: 10, arbitrary: key.filter((id) => id.trim() !== '').map(put) },
      { weight: 3, arbitrary: fc.constantFrom('', ' ', '\r', '{"delete":"a"}') },
      { weight: 1, arbitrary: fc.constantFrom('{"put":{"id":1}}', 'é', '{"put":{},"delete":"a"}') },
    )
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 20 }),
        fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }),
        (lines, cuts) => {
          const bytes = Buffer.from(lines.join('\n'))
          const chunks: Buffer[] = []
          for (let at = 0, cut = 0; at < bytes.length; cut += 1) {
            const length = cuts[cut % cuts.length] ?? 1
            chunks.push(bytes.subarray(at, at + length))
            at += length
          }
          expect(outcomeOf(chunks)).toEqual(outcomeOf([bytes]))
        },
      ),
      fcOptions(300),
    )
  })

  it('name the line and the property of every invalid one', () => {
    const lines = [put('a'), '', '{"put":{"id":1}}', 'x', put('b'), '{"put":{"no":1}}']
    const refused = [
      { line: 3, property: 'id', reason: 'is not a string' },
      { line: 4, reason: 'is not JSON; each line must contain one change' },
      { line: 6, property: 'no', reason: 'is not a property of the type' },
    ]
    expect(outcomeOf([Buffer.from(lines.join('\n'))])).toEqual({ ...refused[0], refused })
  })

  it('have lines as long as their limit, wherever the chunks end', () => {
    const fits = Buffer.from(`${put('x'.repeat(200 - put('').length))}\n`)
    expect(readChunks([fits.subarray(0, 150), fits.subarray(150)])).toHaveLength(1)
    const long = Buffer.from(`${'x'.repeat(201)}\n`)
    for (const chunks of [
      [long],
      [long.subarray(0, 150), long.subarray(150)],
      [long.subarray(0, 201)],
    ]) {
      expect(outcomeOf(chunks)).toMatchObject({ line: 1, reason: 'is longer than 200 bytes' })
    }
  })

  it('are as many as the limits allow, in bytes and in number', () => {
    const chunk = Buffer.from(`${put('x'.repeat(99 - put('').length))}\n`)
    const exactly = Array.from({ length: 100 }, () => chunk)
    expect(readChunks(exactly)).toHaveLength(100)
    expect(outcomeOf([...exactly, Buffer.from('\n')])).toEqual({ maxBytes: 10_000 })
    const many = Buffer.from(`${put('a')}\n`.repeat(101))
    expect(outcomeOf([many])).toEqual({ maxChanges: 100 })
  })
})
