import { describe, expect, it } from 'vitest'
import { checksumOf } from '../../store/object-store.ts'
import { TableFiles } from './table-files.ts'

const TABLE = {
  name: 'thing',
  columns: [{ name: 'id', type: { kind: 'scalar', type: 'string' }, isRequired: true }],
} as const

/** Returns a chunk with one object, as a store returns it. */
function chunkOf(id: string, checksum?: number) {
  const [objectId, key, pk] = ['0'.repeat(36), JSON.stringify(id), id]
  const body = JSON.stringify({ id })
  const sum = checksum ?? checksumOf(objectId + key + pk + body)
  const lengths = `${objectId.length + key.length} ${pk.length} ${body.length}`
  const records = new TextEncoder().encode(`${sum} ${lengths} ${objectId}${key}${pk}${body}`)
  return { records, check: { objectType: 'thing', hasSelection: false } }
}

describe('a file that threads write', () => {
  it('has the pieces of all threads, beside other files', async () => {
    await using files = new TableFiles()
    const write = async (ids: readonly string[]) => {
      const file = files.open({ format: 'arrow', table: TABLE })
      const pieces = await Promise.all([...ids.map((id) => file.write(chunkOf(id))), file.write()])
      file.close()
      return Buffer.concat(pieces)
    }
    const ids = ['a', 'b', 'c', 'd', 'e']
    const [some, others] = await Promise.all([write(ids), write(ids)])
    expect(some).toEqual(others)
    expect(await write(ids)).toEqual(some)
  })

  it('fails alone if one of its pieces is damaged', async () => {
    await using files = new TableFiles()
    const damaged = files.open({ format: 'arrow', table: TABLE })
    const other = files.open({ format: 'arrow', table: TABLE })
    await damaged.write(chunkOf('a'))
    await other.write(chunkOf('a'))
    await expect(damaged.write(chunkOf('b', 1))).rejects.toMatchObject({
      errorName: 'StoredObjectDamaged',
      parameters: { objectType: 'thing', primaryKey: 'b' },
    })
    damaged.close()
    expect((await other.write(chunkOf('b'))).length).toBeGreaterThan(0)
  })

  it('fails without a key if that is damaged too', async () => {
    await using files = new TableFiles()
    const file = files.open({ format: 'arrow', table: TABLE })
    const bytes = chunkOf('a', 1).records.map((byte) => (byte === 0x61 ? 0x0d : byte))
    const check = { objectType: 'thing', hasSelection: false }
    await expect(file.write({ records: bytes, check })).rejects.toMatchObject({
      errorName: 'StoredObjectDamaged',
      parameters: { objectType: 'thing' },
    })
    const nothing = new TextEncoder().encode('0 36 0 0 ')
    await expect(file.write({ records: nothing, check })).rejects.toMatchObject({
      errorName: 'StoredObjectDamaged',
    })
  })

  it('takes nothing after it was closed, because nobody would close it again', async () => {
    await using files = new TableFiles()
    const file = files.open({ format: 'arrow', table: TABLE })
    await file.write(chunkOf('a'))
    file.close()
    await expect(file.write(chunkOf('b'))).rejects.toThrow('the file is closed')
  })
})
