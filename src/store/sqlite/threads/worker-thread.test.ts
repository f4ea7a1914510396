import { EventEmitter } from 'node:events'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { createDatabaseFile } from '../file/database-file.ts'
import { type JobWorker, WorkerThread } from './worker-thread.ts'

interface EchoJobs {
  readonly [name: string]: (connection: never, input: string) => string
}

function startThread(path: string): WorkerThread<EchoJobs> {
  const module = '../../../../test/support/ending-thread'
  return new WorkerThread({ module, path, lostReason: 'it ended' })
}

const refusal = (reason: string) => ({ errorName: 'ServiceUnavailable', parameters: { reason } })

it('rejects all waiting jobs when the thread ends, and starts another for the next job', async () => {
  using folder = tempFolder()
  await using thread = startThread(createDatabaseFile(join(folder.path, 'oqs.db')))
  expect(await thread.run('echo', 'one')).toBe('one')
  const lost = await Promise.allSettled([thread.run('end', ''), thread.run('echo', 'two')])
  for (const { status, ...result } of lost) {
    expect([status, result]).toEqual([
      'rejected',
      { reason: expect.objectContaining(refusal('it ended')) },
    ])
  }
  expect(await thread.run('echo', 'three')).toBe('three')
})

it('keeps the process alive until the thread has ended, even if a result arrives meanwhile', async () => {
  const worker = new SilentWorker()
  const thread = new WorkerThread<EchoJobs>({
    module: '',
    path: '',
    lostReason: '',
    start: () => worker,
  })
  const result = thread.run('echo', 'one')
  const ended = thread[Symbol.asyncDispose]()
  worker.emit('message', { id: 1, result: 'one' })
  expect(await result).toBe('one')
  expect(worker.isKeepingAlive).toBe(true)
  worker.emit('exit')
  await ended
})

/** A worker that never answers by itself. */
class SilentWorker extends EventEmitter implements JobWorker {
  isKeepingAlive = true

  postMessage(): void {}

  ref(): void {
    this.isKeepingAlive = true
  }

  unref(): void {
    this.isKeepingAlive = false
  }
}
