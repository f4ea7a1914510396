import { ObjectQueryError } from '../../contract/errors.ts'

/** Throws unless a list of requests has between one and the maximum number of members. */
export function refuseBatchSize(requests: readonly unknown[], maximumBatchSize: number): void {
  const { length: providedBatchSize } = requests
  if (providedBatchSize === 0) throw new ObjectQueryError('MissingBatchRequest')
  if (providedBatchSize <= maximumBatchSize) return
  throw new ObjectQueryError('BatchRequestSizeExceededLimit', {
    maximumBatchSize,
    providedBatchSize,
  })
}
