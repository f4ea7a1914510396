/** The properties of an object of the demo, as a client would send them. */
export type DemoObject = Readonly<Record<string, unknown>>

/** Null, which is not stored, for what a source writes where it knows nothing. */
export function leaveOut<T>(value: T, unknown: T): T | null {
  return value === unknown ? null : value
}
