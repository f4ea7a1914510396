/** A walk and writes of the client while the service is killed and started again. */
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { freePort } from '../support/free-port.ts'
import { NUMBERS, numbers } from '../support/ontologies.ts'
import { startOqs, waitForLine } from '../support/oqs-process.ts'
import { ADMIN_TOKEN, NO_CALLER_LIMITS } from '../support/service.ts'
import { tempFolder } from '../support/temp-folder.ts'

const COUNT = 60
const KILLS = 3

describe('a client', () => {
  it('finishes a snapshot walk and applies each batch once, whenever the service is killed', async () => {
    using folder = tempFolder()
    const port = String(await freePort())
    const settings = {
      ...NO_CALLER_LIMITS,
      OQS_PORT: port,
      OQS_STORE: `sqlite:${join(folder.path, 'oqs.db')}`,
      OQS_ADMIN_TOKEN: ADMIN_TOKEN,
      OQS_LOG_LEVEL: 'silent',
    }
    const start = async () => {
      const started = startOqs(['serve'], settings)
      await waitForLine(started, 'listening on ')
      return started
    }
    let oqs = await start()
    const client = createClient({
      baseUrl: `http://127.0.0.1:${port}`,
      ontology: 'numbers',
      token: ADMIN_TOKEN,
      // As many as a slow start takes.
      retries: { retries: 10_000, longestPauseMs: 250 },
    })
    try {
      await client.applyDefinition(NUMBERS)
      await client.edit('number').batch(numbers(COUNT).map((put) => ({ put })))
      const seen: number[] = []
      const versions: number[] = []
      for await (const { n } of client.objects('number').pageSize(10).snapshot()) {
        seen.push(n)
        if (n % 20 !== 9) continue
        const killed = oqs[Symbol.asyncDispose]()
        const written = client.edit('number').batch([{ put: { n: 1000 + n } }])
        await killed
        oqs = await start()
        versions.push((await written).version)
      }
      expect(seen).toEqual(numbers(COUNT).map(({ n }) => n))
      expect(versions).toEqual(Array.from({ length: KILLS }, (_, index) => index + 2))
      expect(await client.objects('number').count()).toBe(COUNT + KILLS)
    } finally {
      await oqs[Symbol.asyncDispose]()
    }
  })
})
