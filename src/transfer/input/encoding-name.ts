/** Returns the canonical name of a text encoding, or undefined if it is unknown. */
export function encodingName(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding
  } catch {
    return undefined
  }
}
