/**
 * The memory of a page's records lies outside the heap, and waiting for the garbage collector to
 * find it costs several times what reading the page does: many pages make it look at the whole
 * heap for each few of them. So whoever is done with a page says so.
 */
export function releaserOf(records: Uint8Array): () => void {
  return () => {
    const { buffer, byteLength } = records
    if (!(buffer instanceof ArrayBuffer) || buffer.detached) return
    // Short texts share a block of memory with others.
    if (buffer.byteLength === byteLength) buffer.transfer(0)
  }
}
