import { expect, it } from 'vitest'
import { damagedFiles, fileOfSeed, ReaderFuzzer, realFiles } from './readers/fuzz-readers.ts'

/** `npm run fuzz` reads thousands. */
const FILES = 300

it('damaged Parquet files, compressed files and archives give rows or a clear error', async () => {
  await using fuzzer = new ReaderFuzzer()
  const files = realFiles()
  const mistakes: string[] = []
  const read = async (file: (typeof files)[number], name: string) => {
    const { result, mistake } = await fuzzer.read(file)
    if (mistake !== undefined) mistakes.push(`${name}: ${mistake}`)
    return result !== undefined && 'rows' in result
  }
  for (const file of [...files, ...damagedFiles()]) await read(file, file.name)
  let readable = 0
  for (let seed = 1; seed <= FILES; seed += 1) {
    if (await read(fileOfSeed(seed, files), `seed ${seed}`)) readable += 1
  }
  expect(mistakes).toEqual([])
  // Neither are all files rejected at once, nor is damage overlooked.
  expect(readable).toBeGreaterThan(FILES * 0.05)
  expect(readable).toBeLessThan(FILES * 0.6)
})
