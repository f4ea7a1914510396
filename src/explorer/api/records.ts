/** Objects in one form, whatever API they came from. */

export interface ObjectRecord {
  readonly key: string | number | boolean
  readonly title: string | undefined
  readonly properties: Readonly<Record<string, unknown>>
}

interface WireObject {
  /** Revision 1.0. */
  readonly rid?: string
  /** Revision 2.0. */
  readonly primaryKey?: string | number | boolean
  readonly title?: string
  readonly properties?: Readonly<Record<string, unknown>>
  /** v2. */
  readonly __primaryKey?: string | number | boolean
  readonly __title?: string
}

/** Reads a record of any API. */
export function readRecord(
  json: unknown,
  { primaryKey, titleProperty }: { readonly primaryKey: string; readonly titleProperty?: string },
): ObjectRecord {
  const wire = json as WireObject
  if (wire.__primaryKey !== undefined) {
    const properties = Object.fromEntries(
      Object.entries(wire).filter(([name]) => !name.startsWith('__')),
    )
    return { key: wire.__primaryKey, title: wire.__title, properties }
  }
  const properties = wire.properties ?? {}
  const title = wire.title ?? (titleProperty === undefined ? undefined : properties[titleProperty])
  return {
    key: wire.primaryKey ?? (properties[primaryKey] as ObjectRecord['key']),
    title: title === undefined || title === null ? undefined : String(title),
    properties,
  }
}

/** Returns a key as it stands in a path of the API. */
export function keyText(key: ObjectRecord['key']): string {
  return String(key)
}

/** Returns the position in a GeoJSON point; undefined if there is none. */
export function positionOf(
  value: unknown,
): readonly [longitude: number, latitude: number] | undefined {
  const { coordinates } = (value ?? {}) as { readonly coordinates?: readonly unknown[] }
  const [longitude, latitude] = coordinates ?? []
  return typeof longitude === 'number' && typeof latitude === 'number'
    ? [longitude, latitude]
    : undefined
}
