/**
 * Sends what clients have not asked for at this moment: events and messages to followers. It is sent in
 * slices, so that a client that reads slowly differs from one that does not read.
 */

/** A client must read this much in the time after which it counts as stalled. */
const SLICE_BYTES = 256 * 1024

/** Returns bytes in slices, without copying them. */
export function slicesOf(bytes: Uint8Array): readonly Uint8Array[] {
  const count = Math.ceil(bytes.length / SLICE_BYTES)
  return Array.from({ length: count }, (_, n) =>
    bytes.subarray(n * SLICE_BYTES, (n + 1) * SLICE_BYTES),
  )
}

/** Waits until something is sent. If that takes too long, ends the connection. */
export async function untilSent(
  sent: Promise<unknown>,
  stalledMs: number,
  endConnection: () => void,
): Promise<void> {
  const timer = setTimeout(endConnection, stalledMs)
  await sent
  clearTimeout(timer)
}
