/** The entry point of a thread that parses batches and encodes their changes for the store. */
import { parentPort, workerData } from 'node:worker_threads'
import { LOW_NICENESS, lowerThreadPriority } from '../../admission/background-priority.ts'
import type { ColumnLoading, CreateColumnLoad, CreateEncoder } from '../../store/object-store.ts'
import type { ParserMessage } from './parser-messages.ts'
import { type OpenLoad, ThreadBatches } from './thread-batches.ts'

/** What the main thread passes to the thread. */
export interface ParserThreadData {
  /** The module of the store's encoder. */
  readonly encoderModule: string
  /** Undefined if columns are turned off. */
  readonly columns: ColumnLoading | undefined
}

lowerThreadPriority(LOW_NICENESS)
const { encoderModule, columns } = workerData as ParserThreadData
const { createEncoder } = (await import(encoderModule)) as { createEncoder: CreateEncoder }
serve(new ThreadBatches(createEncoder, columns && (await openLoadWith(columns))))

async function openLoadWith({ module, ...options }: ColumnLoading): Promise<OpenLoad> {
  const { createColumnLoad } = (await import(module)) as { createColumnLoad: CreateColumnLoad }
  return (objectType) => createColumnLoad(objectType, options)
}

function serve(batches: ThreadBatches): void {
  parentPort?.on('message', (message: ParserMessage) => {
    if (message === 'end') parentPort?.close()
    else if ('closed' in message) batches.close(message.closed)
    else if ('ended' in message) parentPort?.postMessage(batches.endLoad(message))
    else {
      const { reply, transfer } = batches.answer(message)
      parentPort?.postMessage(reply, transfer)
    }
  })
}
