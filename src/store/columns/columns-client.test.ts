import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { ColumnsClient } from './columns-client.ts'
import { onFrames, sendFrame } from './process/frames.ts'
import { type ColumnsMessage, NO_QUESTION, type Question } from './process/messages.ts'

/** Accepts a connection like a columns process that is stopped, and replies once it goes on. */
async function startStopped() {
  const folder = tempFolder()
  const address = join(folder.path, 'socket')
  const received: ColumnsMessage[] = []
  let isStopped = true
  let connection: Socket | undefined
  const reply = (message: ColumnsMessage) => {
    const id = 'question' in message ? message.id : NO_QUESTION
    if (connection !== undefined) sendFrame(connection, { id, answer: 'from columns' })
  }
  const server = createServer((socket) => {
    connection = socket
    onFrames(socket, (frame) => {
      const message = frame as ColumnsMessage
      received.push(message)
      if (!isStopped) reply(message)
    })
  })
  server.listen(address)
  await once(server, 'listening')
  return {
    address,
    questions: () => received.flatMap((one) => ('question' in one ? [one.id] : [])),
    cancelled: () => received.flatMap((one) => ('isCancelled' in one ? [one.id] : [])),
    goOn: () => {
      isStopped = false
      received.forEach(reply)
    },
    [Symbol.dispose]: () => {
      connection?.destroy()
      server.close()
      folder[Symbol.dispose]()
    },
  }
}

it('questions wait once for a process that is stopped, and are asked again when it goes on', async () => {
  using stopped = await startStopped()
  using client = new ColumnsClient(stopped.address, { maxBytes: 1 })
  const { signal } = new AbortController()
  const question = { kind: 'aggregate', request: {} } as Question
  const ask = () => client.ask(question, ['type'], { callerId: 'caller', signal })
  // Without an answer, the database has to.
  expect(await Promise.all([ask(), ask(), ask()])).toEqual([undefined, undefined, undefined])
  for (let n = 0; n < 100; n += 1) expect(await ask()).toBeUndefined()
  expect((await client.status()).types).toEqual([])
  await expect.poll(stopped.cancelled).toEqual([1, 2, 3])
  expect(stopped.questions()).toEqual([1, 2, 3])
  stopped.goOn()
  await expect.poll(ask).toBe('from columns')
})
