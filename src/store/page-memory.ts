/**
 * Frees the memory of page records. It lies outside the heap, and leaving it to the garbage
 * collector costs several times as much as reading the page: each few pages cause a full collection.
 */
export function releaserOf(records: Uint8Array): () => void {
  return () => {
    const { buffer, byteLength } = records
    if (!(buffer instanceof ArrayBuffer) || buffer.detached) return
    // Node allocates small buffers from a block that others share.
    if (buffer.byteLength === byteLength) buffer.transfer(0)
  }
}
