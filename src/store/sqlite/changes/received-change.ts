/** Changes as the writer thread has them: few arrive as messages of their own, many are encoded. */
import type { ChangeMessage, EncodedRows, PutMessage } from './change-message.ts'
import { decodeRows, EncodedChange } from './encoded-rows.ts'

export type ReceivedChange = ChangeMessage | EncodedChange

export function keyOf(change: ReceivedChange): string {
  return change instanceof EncodedChange ? change.pk : change[0]
}

export function isPut(change: ReceivedChange): boolean {
  return change instanceof EncodedChange ? change.isPut : change.length > 1
}

/** Returns the index of the change of an object, among changes in the order of their keys. */
export function findChange(changes: readonly ReceivedChange[], pk: string): number | undefined {
  let [low, high] = [0, changes.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (keyOf(changes[middle] as ReceivedChange) < pk) low = middle + 1
    else high = middle
  }
  const found = changes[low]
  return found !== undefined && keyOf(found) === pk ? low : undefined
}

/** Returns the message of a put. */
export function putOf(change: ReceivedChange): PutMessage {
  return change instanceof EncodedChange ? change.readPut() : (change as PutMessage)
}

/** Returns the changes of a job. */
export function changesOf(items: readonly (ChangeMessage | EncodedRows)[]): ReceivedChange[] {
  return items.flatMap((item): ReceivedChange[] => ('rows' in item ? decodeRows(item) : [item]))
}

/**
 * Frees the buffers of a job that is done. If they were left to the garbage collector, it would run
 * after every few batches, because of them alone.
 */
export function freeItems(items: readonly (ChangeMessage | EncodedRows)[]): void {
  for (const item of items) {
    if ('rows' in item) for (const { buffer } of Object.values(item)) buffer.transfer(0)
  }
}
