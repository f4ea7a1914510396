/**
 * A process that cleans up after a test run, however it ends: when its standard input closes, it
 * kills the processes that tests have left behind and removes the folder of the run.
 */
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { PROCESSES } from './run-folder.ts'

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('usage: run-keeper.ts FOLDER')

// Ctrl-C ends the tests, and with them the other end of standard input.
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
    // The group has already ended.
  }
}
