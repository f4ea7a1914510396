/**
 * The entry point of the columns process, which all workers of a machine ask over a socket. It is a
 * process of its own, because its memory is shared by all of them, and because the service goes on
 * without it if it fails.
 */
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { dirname } from 'node:path'
import { openColumnFeed } from '../../open-column-feed.ts'
import { Dispatcher, type DispatcherOptions } from './dispatcher.ts'
import { onFrames, sendFrame } from './frames.ts'
import {
  type AskedQuestion,
  type ColumnsMessage,
  type ColumnsReply,
  NO_QUESTION,
} from './messages.ts'

export interface ColumnsProcessOptions extends Omit<DispatcherOptions, 'onFailure'> {
  /** The path of the socket, or the name of the pipe. */
  readonly address: string
}

/** How often the process looks whether the service was killed. */
const WATCH_MS = 1000

// The service decides when it ends, not signals that are sent to the process group.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})

/** What the service sends: the options first. */
export type ServiceMessage = ColumnsProcessOptions | 'ping'
export type ProcessMessage = { readonly failed: string } | 'alive' | 'listening'

const send = (message: ProcessMessage, onSent = () => {}) => process.send?.(message, onSent)
const report = (error: unknown) => void send({ failed: String(error) })

process.on('message', (message: ServiceMessage) => {
  if (message === 'ping') send('alive')
  else begin(message)
})

function begin(options: ColumnsProcessOptions): void {
  // A service that was killed leaves the folder of the socket behind.
  process.once('disconnect', () => {
    if (process.platform !== 'win32')
      rmSync(dirname(options.address), { recursive: true, force: true })
    process.exit()
  })
  start(options).catch((error: unknown) => {
    send({ failed: String(error) }, () => process.exit(1))
  })
}

const parent = process.ppid
setInterval(() => process.ppid !== parent && process.exit(), WATCH_MS).unref()

async function start({ address, ...options }: ColumnsProcessOptions): Promise<void> {
  const feed = await openColumnFeed(options.storeName)
  const dispatcher = new Dispatcher(feed, { ...options, onFailure: report })
  // Before the first question, which would have columns built that a file has.
  const kept = await dispatcher.findFiles().catch((error: unknown) => {
    report(error)
    return []
  })
  // Left over from a process that was killed.
  rmSync(address, { force: true })
  const server = createServer((socket) => serve(socket, dispatcher)).listen(address)
  await once(server, 'listening')
  send('listening')
  // Questions that come first wait for their own file only.
  await dispatcher.prepare(kept).catch(report)
}

function serve(socket: Socket, dispatcher: Dispatcher): void {
  const asked = new Map<number, AbortController>()
  const reply = (message: ColumnsReply) => sendFrame(socket, message)
  onFrames(socket, (received) => {
    const message = received as ColumnsMessage
    if ('ping' in message) reply({ id: NO_QUESTION, answer: undefined })
    else if ('prepare' in message) void dispatcher.prepare(message.prepare).catch(() => {})
    else if ('discard' in message) dispatcher.discard(message.discard)
    else if ('status' in message) reply({ id: message.id, answer: dispatcher.status() })
    else if ('adopt' in message) {
      void dispatcher.adopt(message.adopt).then((answer) => reply({ id: message.id, answer }))
    } else if ('isCancelled' in message) asked.get(message.id)?.abort()
    else void answer(message)
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    for (const question of asked.values()) question.abort()
  })

  async function answer({ id, callerId, question }: AskedQuestion): Promise<void> {
    const stopping = new AbortController()
    asked.set(id, stopping)
    const computed = await dispatcher.answer(question, callerId, stopping.signal)
    asked.delete(id)
    reply({ id, ...computed })
  }
}
