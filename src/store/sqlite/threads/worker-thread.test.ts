import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { createDatabaseFile } from '../file/database-file.ts'
import { WorkerThread } from './worker-thread.ts'

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
