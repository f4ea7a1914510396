import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { openWriterConnection } from '../file/connection.ts'
import { createDatabaseFile } from '../file/database-file.ts'
import { commitGroup, type Outcome } from './serve-writes.ts'

/** Runs writes as a group on an empty table; returns their outcomes, and the values left. */
function runGroup(
  writesOf: (add: (value: number) => number) => (() => unknown)[],
  prepare = '',
): { outcomes: unknown[]; values: unknown[] } {
  using folder = tempFolder()
  using db = openWriterConnection(createDatabaseFile(join(folder.path, 'oqs.db')))
  db.exec(`CREATE TABLE t (value INTEGER PRIMARY KEY) STRICT; ${prepare}`)
  const add = (value: number) => {
    db.prepare('INSERT INTO t VALUES (?)').run(value)
    return value
  }
  const outcomes = commitGroup(db, writesOf(add)).map(plain)
  expect(db.isTransaction).toBe(false)
  const values = db.prepare('SELECT value FROM t').all()
  return { outcomes, values: values.map(({ value }) => value) }
}

function plain(outcome: Outcome): unknown {
  return 'error' in outcome ? (outcome.error as Error).message : outcome.result
}

const refuse = (): never => {
  throw new Error('refused')
}

it('commits all writes of a group, without one that is refused before it changed anything', () => {
  const { outcomes, values } = runGroup((add) => [() => add(1), refuse, () => add(3)])
  expect(outcomes).toEqual([1, 'refused', 3])
  expect(values).toEqual([1, 3])
})

it('undoes only the write that fails midway', () => {
  const { outcomes, values } = runGroup((add) => [
    () => add(1),
    () => add(2) && refuse(),
    () => add(3),
  ])
  expect(outcomes).toEqual([1, 'refused', 3])
  expect(values).toEqual([1, 3])
})

it('fails all writes, and runs none of them again, if they cannot be committed', () => {
  let runs = 0
  const prepare = `PRAGMA foreign_keys = ON; CREATE TABLE child (
    value INTEGER REFERENCES t (value) DEFERRABLE INITIALLY DEFERRED
  ) STRICT; CREATE TRIGGER orphan AFTER INSERT ON t BEGIN
    INSERT INTO child VALUES (new.value + 100);
  END`
  const write = (add: (value: number) => number, value: number) => () => {
    runs += 1
    return add(value)
  }
  const { outcomes, values } = runGroup((add) => [write(add, 1), write(add, 2)], prepare)
  expect(outcomes).toEqual(['FOREIGN KEY constraint failed', 'FOREIGN KEY constraint failed'])
  expect([runs, values]).toEqual([2, []])
})
