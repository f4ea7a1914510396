/**
 * Another program that uses the database file: the `sqlite3` of the system, with another release of
 * SQLite. Without it, a Node.js process does the same.
 */
import { spawnSync } from 'node:child_process'
import { startNode, startProgram } from './oqs-process.ts'

/** What the program does with the file: each visit opens, uses and closes it. */
export const VISITS = ['backup', 'read', 'lock'] as const
export type Visit = (typeof VISITS)[number]

const system = spawnSync('sqlite3', ['--version'], { encoding: 'utf8' })
const hasSystemSqlite = system.status === 0

/** The program and its release, for reports. */
export const OTHER_SQLITE = hasSystemSqlite ? `sqlite3 ${system.stdout.split(' ')[0]}` : 'Node'

/** Visits the file; a backup is written to `target`. Throws if the program fails. */
export async function visitFile(visit: Visit, file: string, target: string): Promise<void> {
  const other = hasSystemSqlite
    ? startProgram('sqlite3', ['-cmd', '.timeout 10000', file, COMMANDS[visit](target)])
    : startNode(['--no-warnings', '-e', SCRIPTS[visit], file, target], {})
  const code = await other.ended
  if (code !== 0 || other.stderr() !== '') throw new Error(`${visit} failed: ${other.stderr()}`)
}

const COMMANDS: Readonly<Record<Visit, (target: string) => string>> = {
  backup: (target) => `.backup '${target}'`,
  read: () => 'SELECT count(*) FROM oqs_catalogue',
  lock: () => 'BEGIN IMMEDIATE; SELECT count(*) FROM oqs_catalogue; ROLLBACK',
}

const OPEN = `
  const { DatabaseSync, backup } = require('node:sqlite')
  const [file, target] = process.argv.slice(1)
  const db = new DatabaseSync(file, { timeout: 10000 })`
const READ = `db.prepare('SELECT count(*) FROM oqs_catalogue').get()`
const SCRIPTS: Readonly<Record<Visit, string>> = {
  backup: `${OPEN}; backup(db, target, { rate: 1e6 }).then(() => db.close())`,
  read: `${OPEN}; ${READ}; db.close()`,
  lock: `${OPEN}; db.exec('BEGIN IMMEDIATE'); ${READ}; db.exec('ROLLBACK'); db.close()`,
}
