/** Reads changed copies of real files in a thread. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  damagedFiles,
  fileOfSeed,
  ReaderFuzzer,
  realFiles,
} from '../../test/fuzz/readers/fuzz-readers.ts'
import type { Part } from '../measure/command.ts'
import { count, none, print, showProgress } from '../measure/report.ts'

const SHOWN_FAILURES = 20
const PROGRESS_EVERY = 1000

export const readers: Part<{ readonly files: number; readonly seed: number }> = {
  about: `Damaged Parquet files, compressed files and archives. Each must give rows or an error that names
the problem, in limited time and memory.`,
  full: { files: 20_000, seed: 1 },
  quick: { files: 500, seed: 1 },
  stores: ['SQLite'],
  async run({ numbers: { files, seed }, texts: { keep } }) {
    await using fuzzer = new ReaderFuzzer()
    const originals = realFiles()
    const started = performance.now()
    let [readable, failures, longestMs] = [0, 0, 0]
    const read = async (file: (typeof originals)[number], name: string) => {
      const before = performance.now()
      const { result, mistake } = await fuzzer.read(file)
      longestMs = Math.max(longestMs, performance.now() - before)
      if (result !== undefined && 'rows' in result) readable += 1
      if (mistake === undefined) return
      failures += 1
      if (failures <= SHOWN_FAILURES) print(`${name}, ${file.name}: ${mistake}`)
      if (keep === undefined) return
      mkdirSync(keep, { recursive: true })
      writeFileSync(join(keep, `${name.replace(' ', '-')}-${file.name}`), file.bytes)
    }
    for (const file of damagedFiles()) await read(file, 'corpus')
    for (let own = seed; own < seed + files; own += 1) {
      if ((own - seed) % PROGRESS_EVERY === 0) showProgress(`readers: ${own - seed} files`)
      await read(fileOfSeed(own, originals), `seed ${own}`)
    }
    const seconds = (performance.now() - started) / 1000
    const peak = Math.round(process.resourceUsage().maxRSS / 1024)
    print(
      `Readers: ${count(files)} damaged files in ${seconds.toFixed(0)} s, ${count(readable)} still readable, ` +
        `at most ${longestMs.toFixed(0)} ms for a file, ${peak} MB of memory`,
    )
    return [none('files handled badly', failures)]
  },
}
