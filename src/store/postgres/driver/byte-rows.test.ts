import { EventEmitter } from 'node:events'
import type { Duplex } from 'node:stream'
import { Client } from 'pg'
import { describe, expect, inject, it } from 'vitest'
import { AS_BYTES, type ByteRow, freeRows, passBinaryRows } from './byte-rows.ts'

/** A connection whose server appears to send chunks of the given size. */
async function connect(pieceBytes = Number.POSITIVE_INFINITY) {
  const client = new Client({ connectionString: inject('postgresUrl') })
  passBinaryRows(client.connection)
  const connection = client.connection as unknown as { attachListeners(stream: Duplex): void }
  const attach = connection.attachListeners
  connection.attachListeners = (stream) => {
    const pieces = new EventEmitter()
    attach(pieces as Duplex)
    stream.on('data', (chunk: Buffer) => {
      for (let at = 0; at < chunk.length; at += pieceBytes) {
        // Each chunk has its own memory, like a chunk of a socket.
        const piece = chunk.subarray(at, at + pieceBytes)
        pieces.emit('data', Buffer.from(new Uint8Array(piece).buffer))
      }
    })
  }
  await client.connect()
  return {
    client,
    readBytes: async (text: string): Promise<readonly ByteRow[]> => {
      const query = { text, rowMode: 'array' as const, ...AS_BYTES }
      return (await client.query<(Buffer | null)[]>(query)).rows
    },
    readText: async (text: string) =>
      (await client.query<unknown[]>({ text, rowMode: 'array' })).rows,
    [Symbol.asyncDispose]: () => client.end(),
  }
}

const texts = (rows: readonly ByteRow[]) => rows.map((row) => row.map((value) => value?.toString()))

/** Long, short, empty and null values. */
const ROWS = `SELECT 'k' || n, CASE n % 4 WHEN 0 THEN NULL WHEN 1 THEN '' ELSE 'ä€𝄞' END,
  repeat('x' || n, 1 + n * n) FROM generate_series(1, 60) AS n`

describe('rows as bytes', () => {
  it.each([1, 2, 3, 7, 64, 1000, Number.POSITIVE_INFINITY])(
    'are what the server sent, in chunks of %d bytes',
    async (pieceBytes) => {
      await using session = await connect(pieceBytes)
      const rows = await session.readBytes(ROWS)
      expect(texts(rows)).toEqual(
        (await session.readText(ROWS)).map((row) => row.map((value) => value ?? undefined)),
      )
    },
  )

  it('hold values in binary form', async () => {
    await using session = await connect()
    const [row] = await session.readBytes('SELECT 258::bigint, NULL::bigint')
    expect(row).toEqual([Buffer.from([0, 0, 0, 0, 0, 0, 1, 2]), null])
  })

  it('can alternate with text rows and with failures', async () => {
    await using session = await connect(100)
    const fails = 'SELECT 1 / (5 - n) FROM generate_series(1, 9) AS n'
    for (let round = 0; round < 3; round++) {
      await expect(session.readBytes(fails)).rejects.toThrow('division by zero')
      expect(texts(await session.readBytes(`SELECT 'a', 'b'`))).toEqual([['a', 'b']])
      await expect(session.readText(fails)).rejects.toThrow('division by zero')
      expect(await session.readText('SELECT 1, 2')).toEqual([[1, 2]])
      expect(await session.readBytes('SELECT 1 WHERE false')).toEqual([])
    }
  })

  it('are empty after they are freed, and the connection still works', async () => {
    await using session = await connect()
    const rows = await session.readBytes(ROWS)
    freeRows(rows)
    expect(rows[0]?.[0]).toHaveLength(0)
    expect(texts(await session.readBytes(`SELECT 'next'`))).toEqual([['next']])
  })
})
