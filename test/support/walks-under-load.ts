/**
 * Runs writers and walkers on several nodes of one store. Each walk uses another node for each page,
 * and must return exactly what the log of commits says, whatever happens to the nodes.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { CommitLog, type Sight, type WrittenObject } from './commit-log.ts'
import { type Nodes, startNodes } from './nodes.ts'
import { NUMBERS } from './ontologies.ts'
import type { SendOptions, TestResponse } from './service.ts'

export interface Load {
  /** The name for `OQS_STORE`; the store must be empty. */
  readonly store: string
  readonly nodes: number
  readonly writers: number
  readonly snapshotWalkers: number
  readonly defaultWalkers: number
  /** The minimum duration. */
  readonly seconds: number
  /** The minimum counts, however long they take. */
  readonly atLeast: Partial<LoadCounts>
  /** Called repeatedly during the load. */
  readonly disturb?: (nodes: Nodes, round: number) => Promise<void>
}

interface LoadCounts {
  readonly batches: number
  readonly snapshotWalks: number
  readonly defaultWalks: number
  readonly pages: number
  /** Requests that were repeated on another node. */
  readonly retries: number
  /** Calls of `disturb`. */
  readonly rounds: number
}

export interface LoadReport extends LoadCounts {
  /** Why nodes failed, each reason once. */
  readonly refusals: readonly string[]
}

const OBJECTS = '/api/v1/ontologies/numbers/objects/number'

/** Throws at the first violation. */
export async function walkUnderLoad(load: Load): Promise<LoadReport> {
  await using nodes = await startNodes(load.store, load.nodes)
  const log = new CommitLog(load.writers)
  const sights: Sight[] = []
  const refusals = new Set<string>()
  const counts = { batches: 0, snapshotWalks: 0, defaultWalks: 0, pages: 0, retries: 0, rounds: 0 }
  let isOver = false

  const request = async (
    turn: number,
    path: string,
    options?: SendOptions,
  ): Promise<[TestResponse, number]> => {
    const { response, refusals: reasons } = await nodes.send(turn, path, options)
    counts.retries += reasons.length
    for (const reason of reasons) refusals.add(reason)
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${response.text}`)
    return [response, reasons.length]
  }
  const send = (turn: number, changes: readonly object[]) =>
    request(turn, `/api/admin${OBJECTS.slice('/api'.length)}`, {
      headers: { 'content-type': 'application/x-ndjson' },
      body: changes.map((change) => JSON.stringify(change)).join('\n'),
    })
  const writeNext = async (writer: number) => {
    const { number, changes } = log.next(writer)
    const [{ body }, retries] = await send(writer + number, changes)
    log.acknowledge(writer, number, body.version, retries === 0)
    counts.batches += 1
  }
  const walk = async (snapshot: boolean): Promise<WrittenObject[]> => {
    const objects: WrittenObject[] = []
    let token = ''
    for (let turn = Math.floor(Math.random() * nodes.count); ; turn += 1) {
      const pageSize = 20 + Math.floor(Math.random() * 150)
      const [{ body }] = await request(
        turn,
        `${OBJECTS}?pageSize=${pageSize}&snapshot=${snapshot}${token}`,
      )
      counts.pages += 1
      for (const { properties } of body.data) {
        objects.push({ n: properties.n, text: properties.text ?? '' })
      }
      if (body.nextPageToken === undefined) return objects
      token = `&pageToken=${body.nextPageToken}`
    }
  }
  const walkSnapshot = async () => {
    const acknowledged = log.acknowledged()
    sights.push(log.checkSnapshot(await walk(true), acknowledged))
    counts.snapshotWalks += 1
  }
  const walkDefault = async () => {
    log.checkDefault(await walk(false))
    counts.defaultWalks += 1
  }
  const until = async (run: () => Promise<void>) => {
    while (!isOver) await run()
  }
  const times = (count: number, run: (index: number) => Promise<void>) =>
    Array.from({ length: count }, (_, index) => until(() => run(index)))

  await request(0, '/api/admin/v1/ontologies/numbers', { method: 'PUT', json: NUMBERS })
  await send(
    0,
    log.fixed().map((object) => ({ put: object })),
  )
  for (let writer = 0; writer < load.writers; writer += 1) await writeNext(writer)

  const work = [
    ...times(load.writers, writeNext),
    ...times(load.snapshotWalkers, walkSnapshot),
    ...times(load.defaultWalkers, walkDefault),
    (async () => {
      const end = Date.now() + load.seconds * 1000
      while (!isOver && (Date.now() < end || !hasHappened(counts, load.atLeast))) {
        await load.disturb?.(nodes, counts.rounds)
        counts.rounds += 1
        await sleep(load.disturb === undefined ? 20 : 300)
      }
      isOver = true
    })(),
  ]
  try {
    await Promise.all(work)
  } finally {
    isOver = true
    await Promise.allSettled(work)
  }

  // Now every version is known, and everything acknowledged must be visible.
  await walkSnapshot()
  for (const sight of sights) log.checkMoment(sight)
  return { ...counts, refusals: [...refusals] }
}

function hasHappened(counts: LoadCounts, atLeast: Partial<LoadCounts>): boolean {
  const names = Object.keys(atLeast) as (keyof LoadCounts)[]
  return names.every((name) => counts[name] >= (atLeast[name] ?? 0))
}

/** Replaces one node after another. */
export async function replaceNodes(nodes: Nodes, round: number): Promise<void> {
  await nodes.replace(round % nodes.count)
}

/** Restarts the database, alternately with a shutdown and a crash. */
export function restartDatabase(database: {
  stop(): Promise<void>
  kill(): Promise<void>
  start(): Promise<void>
}): (nodes: Nodes, round: number) => Promise<void> {
  return async (nodes, round) => {
    await nodes.untilReady(true)
    await (round % 2 === 0 ? database.stop() : database.kill())
    await nodes.untilReady(false)
    await database.start()
    await nodes.untilReady(true)
  }
}
