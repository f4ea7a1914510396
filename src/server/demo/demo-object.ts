/** The properties of a demo object, as a client would send them. */
export type DemoObject = Readonly<Record<string, unknown>>

/** Returns null, which is not stored, for the placeholder that a source uses for unknown values. */
export function nullIf<T>(value: T, unknown: T): T | null {
  return value === unknown ? null : value
}
