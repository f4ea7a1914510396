/** Reads changed copies of real files in a thread. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  damagedFiles,
  fileOfSeed,
  ReaderFuzzer,
  realFiles,
} from '../../test/fuzz/readers/fuzz-readers.ts'
import { print, showProgress } from '../measure/progress.ts'

const SHOWN_FAILURES = 20
const PROGRESS_EVERY = 1000

export interface ReaderRun {
  readonly seed: number
  readonly files: number
  /** A folder for the files that were handled badly. */
  readonly keep: string | undefined
}

/** Returns whether every file gave rows or a clear error. */
export async function fuzzReaders({ seed, files, keep }: ReaderRun): Promise<boolean> {
  await using fuzzer = new ReaderFuzzer()
  const originals = realFiles()
  const started = performance.now()
  let [readable, failures, longestMs] = [0, 0, 0]
  const peak = () => Math.round(process.resourceUsage().maxRSS / 1024)
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
  print(
    `Readers: ${files.toLocaleString('en')} damaged files in ${seconds.toFixed(0)} s, ${readable.toLocaleString('en')} still readable, ` +
      `${failures} failures, at most ${longestMs.toFixed(0)} ms for a file, ${peak()} MB of memory`,
  )
  return failures === 0
}
