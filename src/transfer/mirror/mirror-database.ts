import type { MirroredType, Properties } from './mirrored-type.ts'

/** A column of a mirror. */
export interface MirrorColumn {
  readonly name: string
  /** As in `CREATE TABLE`. */
  readonly sqlType: string
  /** Returns the value as the database takes it; null if the object has none. */
  readonly read: (properties: Properties) => unknown
}

/** The columns that hold the objects of a type. */
export interface MirrorLayout {
  readonly columns: readonly MirrorColumn[]
  readonly key: MirrorColumn
}

/** The database of a mirror. Its tables have quoted names, so any name is valid. */
export interface MirrorDatabase extends AsyncDisposable {
  /** For messages: a path, or the address of a database without its password. */
  readonly name: string
  /** The statement that starts a transaction which writes. */
  readonly begin: string
  layoutOf(type: MirroredType): MirrorLayout
  hasTable(table: string): Promise<boolean>
  /** Runs a statement; its parameters are written `?`. */
  run(sql: string, parameters?: readonly unknown[]): Promise<readonly Row[]>
  put(table: string, layout: MirrorLayout, objects: readonly Properties[]): Promise<void>
  /** Deletes objects by properties that contain the primary key. */
  remove(table: string, layout: MirrorLayout, keys: readonly Properties[]): Promise<void>
}

export type Row = Readonly<Record<string, unknown>>

/** The connection to the database is gone; the state is read again with a new one. */
export class TargetLost extends Error {
  override readonly name = 'TargetLost'
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

export function columnList({ columns }: MirrorLayout): string {
  return columns.map(({ name }) => quoted(name)).join(', ')
}

/** Names columns after properties; a name that the database cannot have gets a number. */
export function columnNames(
  properties: Iterable<string>,
  { reserved = [], fold }: { reserved?: readonly string[]; fold: (name: string) => string },
): ReadonlyMap<string, string> {
  const taken = new Set(reserved)
  const names = new Map<string, string>()
  for (const property of properties) {
    let name = property
    for (let number = 2; taken.has(fold(name)); number += 1) name = `${property}_${number}`
    taken.add(fold(name))
    names.set(property, name)
  }
  return names
}
