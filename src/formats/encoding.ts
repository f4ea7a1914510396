/** Text encodings other than UTF-8. Their bytes are converted, because every reader expects UTF-8. */
import { UnreadableFile } from './row.ts'

/** The number of bytes that are inspected for the zeros of UTF-16. */
const SAMPLE_BYTES = 512
const MIN_SAMPLE_BYTES = 8

/** Detects UTF-16, by its byte order mark or by the zeros between Latin letters. */
export function encodingOfBytes(head: Uint8Array): string | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be'
  const sample = head.subarray(0, SAMPLE_BYTES)
  if (sample.length < MIN_SAMPLE_BYTES) return undefined
  const zeros = [0, 0]
  for (const [index, byte] of sample.entries()) {
    if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1
  }
  const [even = 0, odd = 0] = zeros
  const most = sample.length / 4
  if (odd > most && even === 0) return 'utf-16le'
  return even > most && odd === 0 ? 'utf-16be' : undefined
}

/** Converts a stream to UTF-8, without a byte order mark. */
export async function* toUtf8(
  chunks: AsyncIterable<Uint8Array>,
  encoding: string,
): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder(encoding, { fatal: true })
  const encoder = new TextEncoder()
  const decode = (chunk?: Uint8Array) => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined })
    } catch (error) {
      const remedy = { do: 'nameEncoding' } as const
      throw new UnreadableFile(`is not ${encoding}`, { cause: error, remedy })
    }
  }
  for await (const chunk of chunks) {
    const text = decode(chunk)
    if (text !== '') yield encoder.encode(text)
  }
  const rest = decode()
  if (rest !== '') yield encoder.encode(rest)
}
