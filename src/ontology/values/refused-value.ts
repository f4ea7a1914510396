/** Why a value is not valid for its property. The caller adds the name of the property. */
export class RefusedValue extends Error {
  readonly reason: string
  /** The path inside the property, such as `[3].text`; empty for the value itself. */
  readonly path: string

  constructor(reason: string, path = '') {
    super(reason)
    this.name = 'RefusedValue'
    this.reason = reason
    this.path = path
  }

  /** Prefixes the path with one step, for the enclosing array or struct. */
  inside(step: string): RefusedValue {
    return new RefusedValue(this.reason, step + this.path)
  }
}

export function refuse(reason: string): never {
  throw new RefusedValue(reason)
}
