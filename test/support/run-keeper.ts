import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { PROCESSES } from './run-folder.ts'

/**
 * A process that outlives a test run: when its standard input closes, it kills the processes that
 * tests have left behind, and removes the folder of the run. Tests leave them where they time out,
 * and where the run is interrupted or killed.
 */

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('usage: run-keeper.ts FOLDER')

// Ctrl-C is for the tests; when they are gone, so is the other end of the input.
process.on('SIGINT', () => {})
process.stdin.resume()
process.stdin.once('close', () => {
  for (const group of readdirSync(join(folder, PROCESSES)).map(Number)) killGroup(group)
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  process.exit()
})

function killGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}
