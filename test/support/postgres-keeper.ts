/**
 * A process that cleans up after the tests, however they end: when its standard input closes, it
 * stops the PostgreSQL server in the given folder and removes the folder.
 */
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('usage: postgres-keeper.ts FOLDER')

// Ctrl-C ends the tests, and with them the other end of standard input.
process.on('SIGINT', () => {})
process.stdin.resume()
process.stdin.once('close', async () => {
  const pid = readServerPid(join(folder, 'data'))
  if (pid !== undefined) {
    // SIGQUIT skips the checkpoint: the data is not needed any more.
    process.kill(pid, 'SIGQUIT')
    while (isAlive(pid)) await sleep(20)
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  process.exit()
})

function readServerPid(data: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
    return isAlive(pid) ? pid : undefined
  } catch {
    return undefined
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
