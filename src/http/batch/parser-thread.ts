/** The entry point of a thread that parses batches and encodes their changes for the store. */
import { parentPort, workerData } from 'node:worker_threads'
import { lowerThreadPriority } from '../../admission/background-priority.ts'
import { ObjectQueryError } from '../../contract/errors.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { type CreateEncoder, isEncoded } from '../../store/object-store.ts'
import { BatchParsing } from './batch-parsing.ts'
import type { ParseMessage, ParserMessage, ParserReply } from './parser-messages.ts'

/** What the main thread passes to the thread. */
export interface ParserThreadData {
  /** The module of the store's encoder. */
  readonly encoderModule: string
}

lowerThreadPriority()
const { encoderModule } = workerData as ParserThreadData
const { createEncoder } = (await import(encoderModule)) as { createEncoder: CreateEncoder }
const objectTypes = new Map<number, ObjectType>()
const batches = new Map<number, BatchParsing>()

parentPort?.on('message', (message: ParserMessage) => {
  if (message === 'end') parentPort?.close()
  else if ('closed' in message) batches.delete(message.closed)
  else answer(message)
})

function answer(message: ParseMessage): void {
  const { batch } = message
  try {
    const parsed = parse(message)
    const transfer = parsed.parts.flatMap((part) => (isEncoded(part) ? part.transfer : []))
    parentPort?.postMessage({ batch, parsed } satisfies ParserReply, transfer)
  } catch (error) {
    batches.delete(batch)
    parentPort?.postMessage({ batch, ...describe(error) } satisfies ParserReply)
  }
}

function parse({ batch, opened, bytes, isLast }: ParseMessage) {
  if (opened !== undefined) {
    const { type, encoding, evicted } = opened
    for (const old of evicted) objectTypes.delete(old)
    if (opened.objectType !== undefined) objectTypes.set(type, opened.objectType)
    const objectType = objectTypes.get(type)
    if (objectType === undefined) throw new Error(`no object type with the number ${type}`)
    const encoder = encoding && createEncoder(objectType, encoding.options)
    batches.set(batch, new BatchParsing(objectType, encoder))
  }
  const parsing = batches.get(batch)
  if (parsing === undefined) throw new Error(`no batch with the number ${batch}`)
  if (isLast) batches.delete(batch)
  return parsing.take(bytes, isLast)
}

/** Errors are sent as plain data, because class instances cannot be sent. */
function describe(error: unknown) {
  if (error instanceof ObjectQueryError) {
    return { refused: { errorName: error.errorName, parameters: error.parameters } }
  }
  const { message, stack } = error as Error
  return { failed: { message, stack } }
}
