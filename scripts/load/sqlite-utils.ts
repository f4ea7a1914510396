/** Loads the same objects with sqlite-utils: one table, six indexes and full text. */
import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import type { LoadReport } from './report.ts'

const INDEXED = ['name', 'category', 'revision', 'weight', 'changedAt', 'notes']
const TEXTS = ['partNumber', 'name', 'category', 'notes']

/** Returns undefined if sqlite-utils is not installed. */
export function loadWithSqliteUtils(file: string, target: string): LoadReport | undefined {
  if (spawnSync('sqlite-utils', ['--version']).status !== 0) return undefined
  const started = performance.now()
  const run = (...args: string[]) => {
    const { status, stderr } = spawnSync('sqlite-utils', args)
    if (status !== 0) throw new Error(`sqlite-utils ${args[0]} failed: ${stderr}`)
  }
  run('insert', target, 'part', file, '--nl', '--pk', 'partNumber', '--batch-size', '10000')
  for (const column of INDEXED) run('create-index', target, 'part', column)
  run('enable-fts', target, 'part', ...TEXTS, '--fts5')
  return {
    seconds: (performance.now() - started) / 1000,
    // Node.js does not report the CPU time of children that have ended.
    cpuMicros: undefined,
    bytes: statSync(target).size,
  }
}
