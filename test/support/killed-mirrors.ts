/** Kills mirrors and their service at random moments while a writer writes. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { type Client, createClient } from '../../src/client/index.ts'
import { freePort } from './free-port.ts'
import { type MirrorFixture, mirror, rowsOf, SHELF } from './mirror-suite.ts'
import { runOqs, startOqs, waitForLine } from './oqs-process.ts'
import { ADMIN_TOKEN, NO_CALLER_LIMITS, sendTo } from './service.ts'
import { tempFolder } from './temp-folder.ts'

/** `MIRROR_KILLS` sets how often; few by default, because each takes seconds. */
const KILLS = Number(process.env['MIRROR_KILLS'] ?? 3)
/** Several pages, so that kills also hit the middle of a copy. */
const OBJECTS = 12_000
const SERVICE_KILLED_EVERY = 3
const LONGEST_LIFE_MS = 1500

export async function killMirrors(target: MirrorFixture): Promise<void> {
  using folder = tempFolder()
  const port = String(await freePort())
  const settings = {
    ...NO_CALLER_LIMITS,
    OQS_PORT: port,
    OQS_STORE: `sqlite:${join(folder.path, 'oqs.db')}`,
    OQS_ADMIN_TOKEN: ADMIN_TOKEN,
    OQS_LOG_LEVEL: 'silent',
  }
  const serve = async () => {
    const started = startOqs(['serve'], settings)
    await waitForLine(started, 'listening on ')
    return started
  }
  const url = `http://127.0.0.1:${port}`
  const options = { OQS_URL: url, OQS_TOKEN: ADMIN_TOKEN }
  let service = await serve()
  try {
    const client = createClient({
      baseUrl: url,
      ontology: 'shelf',
      token: ADMIN_TOKEN,
      retries: { retries: 10_000, longestPauseMs: 250 },
    })
    await client.applyDefinition(SHELF)
    await client.edit('item').replaceAll(items(OBJECTS, 0))
    const stop = new AbortController()
    const writing = write(client, stop.signal)
    const messages: string[] = []
    for (let kill = 1; kill <= KILLS; kill += 1) {
      await using oqs = startOqs(mirror(target.to), options)
      await sleep(LONGEST_LIFE_MS * Math.random())
      if (kill % SERVICE_KILLED_EVERY === 0) {
        await service[Symbol.asyncDispose]()
        service = await serve()
        await sleep(LONGEST_LIFE_MS * Math.random())
      }
      oqs.child.kill('SIGKILL')
      await oqs.ended
      messages.push(oqs.stderr())
    }
    stop.abort()
    await writing
    const last = await runOqs(mirror(target.to, '--once'), options)
    expect([last.code, last.stderr]).toEqual([0, expect.stringContaining('has caught up')])
    // A killed mirror goes on; nothing that a kill leaves behind needs a new copy.
    expect(messages.join('')).not.toContain('copying again')
    const path = '/api/admin/v1/ontologies/shelf/objects/item/export?format=ndjson'
    const { text } = await sendTo(url + path)
    expect((await target.read()).map((row) => JSON.stringify(row))).toEqual(
      rowsOf(text).map((row) => JSON.stringify(row)),
    )
  } finally {
    await service[Symbol.asyncDispose]()
  }
}

/** Changes some objects again and again, and from time to time all of them. */
async function write(client: Client, signal: AbortSignal): Promise<void> {
  for (let round = 1; !signal.aborted; round += 1) {
    if (round % 40 === 0) {
      await client.edit('item').replaceAll(items(OBJECTS - round, round))
      continue
    }
    const changes = Array.from({ length: 50 }, () => Math.floor(Math.random() * OBJECTS * 1.1))
    await client
      .edit('item')
      .batch(
        [...new Set(changes)].map((id) =>
          id % 3 === 0 ? { delete: id } : { put: { id, name: `round ${round}` } },
        ),
      )
    await sleep(10)
  }
}

function items(count: number, round: number): { id: number; name: string }[] {
  return Array.from({ length: count }, (_, id) => ({ id, name: `all of round ${round}` }))
}
