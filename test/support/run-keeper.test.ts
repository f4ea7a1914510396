import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { PROCESSES, runFolder } from './run-folder.ts'
import { tempFolder } from './temp-folder.ts'

const KEEPER = fileURLToPath(new URL('./run-keeper.ts', import.meta.url))

/** Starts a child that inherits its output, and prints the process id of the child. */
const TWO_PROCESSES = `
  const { spawn } = require('node:child_process')
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' })
  console.log(child.pid)
  setInterval(() => {}, 1000)`

it('removes the folder and the processes of a test run, also stopped processes', async () => {
  using own = tempFolder()
  const folder = join(own.path, 'run')
  mkdirSync(join(folder, PROCESSES), { recursive: true })
  mkdirSync(join(folder, 'of-a-test'))
  writeFileSync(join(folder, 'of-a-test', 'file'), 'left behind')

  const parent = spawn(process.execPath, ['-e', TWO_PROCESSES], { detached: true })
  const parentEnded = once(parent, 'exit')
  // The pipes close when the last process that has them open exits.
  const bothEnded = once(parent, 'close')
  const [line] = await once(parent.stdout, 'data')
  const childPid = Number(line)
  process.kill(childPid, 'SIGSTOP')
  writeFileSync(join(folder, PROCESSES, String(parent.pid)), '')
  // A process that has ended, but whose test could not remove its file.
  const gone = spawn(process.execPath, ['-e', ''], { detached: true })
  await once(gone, 'exit')
  writeFileSync(join(folder, PROCESSES, String(gone.pid)), '')

  const keeper = spawn(process.execPath, [KEEPER, folder], { stdio: ['pipe', 'ignore', 'inherit'] })
  // When the run ends, its end of the pipe is closed.
  keeper.stdin.destroy()
  expect(await once(keeper, 'exit')).toEqual([0, null])
  expect(await parentEnded).toEqual([null, 'SIGKILL'])
  await bothEnded
  expect(existsSync(folder)).toBe(false)
})

it('creates temporary folders in the folder of the run', () => {
  using folder = tempFolder()
  expect(runFolder()).toBeDefined()
  expect(folder.path.startsWith(`${runFolder()}/`)).toBe(true)
})
