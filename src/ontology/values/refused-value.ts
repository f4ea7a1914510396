/** Why a value does not fit its property; the caller adds where it stood. */
export class RefusedValue extends Error {
  readonly reason: string
  /** The place inside the property, such as `[3].text`; empty for the value itself. */
  readonly place: string

  constructor(reason: string, place = '') {
    super(reason)
    this.name = 'RefusedValue'
    this.reason = reason
    this.place = place
  }

  /** The same refusal, seen from one level further out. */
  inside(step: string): RefusedValue {
    return new RefusedValue(this.reason, step + this.place)
  }
}

export function refuse(reason: string): never {
  throw new RefusedValue(reason)
}

/** Whether a value is a JSON object: not null, not an array. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
