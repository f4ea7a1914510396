import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { canSeeLocks, holdsLock } from '../support/file-locks.ts'
import { countByBatch, faultsIn, NumberedBatches } from '../support/numbered-batches.ts'
import { type OqsProcess, startOqs, waitForLine } from '../support/oqs-process.ts'
import { OTHER_SQLITE, VISITS, type Visit, visitFile } from '../support/other-sqlite.ts'
import { ADMIN_TOKEN } from '../support/service.ts'
import { useServiceFolder } from '../support/service-settings.ts'

/**
 * Other programs open the database file of a running service. Under POSIX, a process loses its
 * locks when it closes any descriptor of the file; the next program that closes the database then
 * deletes the WAL of the service.
 */

const folder = useServiceFolder({ OQS_ADMIN_TOKEN: ADMIN_TOKEN, OQS_LIST_OBJECTS_LIMIT: 'none' })
const kills = Number(process.env['OQS_TEST_KILLS'] ?? 3)
/** A backup by sqlite3 restarts after each batch, so it might never end without a limit. */
const BATCHES_DURING_VISIT = 10
/** Batches that the service must acknowledge after the last visit, before it is killed. */
const BATCHES_AFTER_VISITS = 3

const orders = permutations(VISITS)
const file = () => join(folder.path, 'oqs.db')
const backupFile = () => join(folder.path, 'backup.db')

describe(`a service whose file ${OTHER_SQLITE} backs up, opens and closes`, () => {
  it(
    'keeps its lock, and every acknowledged batch when it is killed',
    async ({ annotate }) => {
      const batches = new NumberedBatches()
      let checks = 0
      for (let kill = 0; kill <= kills; kill += 1) {
        // Also with workers.
        const more = kill % 3 === 2 ? { OQS_WORKERS: '2' } : {}
        await using oqs = startOqs(['serve'], folder.settings(more))
        const url = await waitForLine(oqs, 'listening on ')
        if (kill === 0) await batches.define(url)
        expect(await batches.faults(url)).toEqual([])
        if (kill === kills) break
        // Two orders per start: three starts cover all of them.
        const visits = [2 * kill, 2 * kill + 1].flatMap((n) => orders[n % orders.length] ?? [])
        checks += await visitAndKill(oqs, url, batches, visits)
      }
      expect(batches.acknowledged.size).toBeGreaterThanOrEqual(kills * BATCHES_AFTER_VISITS)
      if (canSeeLocks) expect(checks).toBeGreaterThan(kills * BATCHES_AFTER_VISITS)
      const summary = `${batches.acknowledged.size} batches acknowledged, none lost`
      await annotate(`${OTHER_SQLITE}, ${kills} kills: ${summary}; lock checked ${checks} times`)
    },
    600_000 + kills * 10_000,
  )
})

/**
 * Lets other programs use the file while batches are written, then kills the service during a
 * batch. Returns how often the lock was checked.
 */
async function visitAndKill(
  oqs: OqsProcess,
  url: string,
  batches: NumberedBatches,
  visits: readonly Visit[],
): Promise<number> {
  let checks = 0
  let isKilled = false
  const checkLock = () => {
    // A worker may acknowledge one more batch before it notices that the supervisor is gone.
    if (!canSeeLocks || isKilled) return
    expect(holdsLock(oqs.child.pid, file())).toBe(true)
    checks += 1
  }
  // The batches that may be written before the visit ends, and what to do after the last of them.
  let left = Number.POSITIVE_INFINITY
  let afterLast: () => Promise<void> | void = () => {}
  const sending = batches.sendUntilGone(url, async () => {
    checkLock()
    left -= 1
    if (left === 0) await afterLast()
  })
  const visiting = async () => {
    for (const visit of visits) {
      const acknowledged = new Set(batches.acknowledged)
      const ended = visitFile(visit, file(), backupFile())
      afterLast = () => ended
      left = BATCHES_DURING_VISIT
      await ended
      checkLock()
      if (visit === 'backup') expect(faultsIn(readBackup(), acknowledged)).toEqual([])
    }
    await new Promise<void>((resolve) => {
      afterLast = resolve
      left = BATCHES_AFTER_VISITS
    })
    isKilled = true
    oqs.child.kill('SIGKILL')
    await oqs.ended
  }
  await Promise.all([sending, visiting()])
  return checks
}

/** Counts the objects of each batch in the backup. */
function readBackup(): Map<number, number> {
  using db = new DatabaseSync(backupFile())
  // The table is created with the first batch.
  const table = db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'oqs_object_1'`).get()
  if (table === undefined) return new Map()
  const rows = db.prepare(`SELECT body ->> '$.n' AS n FROM oqs_object_1`).all()
  return countByBatch(rows.map(({ n }) => Number(n)))
}

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]]
  return items.flatMap((item, at) =>
    permutations(items.toSpliced(at, 1)).map((rest) => [item, ...rest]),
  )
}
