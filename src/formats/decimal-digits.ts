/**
 * The digits of decimals. All decimals of a column of Parquet or Arrow have one precision and one scale, which
 * must be known before the first value is written. So they are measured before.
 */
import { ownValue } from './row.ts'
import type { ColumnType, DecimalDigits, TableColumn } from './table-file.ts'

/** Digits by path: the name of a property, and those of fields of structs, with points between them. */
export type MeasuredDigits = Readonly<Record<string, DecimalDigits>>

/** The most digits of 32, 64 and 128 bits. Files of a type differ less in types if these are all that there are. */
const PRECISIONS = [9, 18, 38]

export function hasDecimals(type: ColumnType): boolean {
  if (type.kind === 'array') return hasDecimals(type.items)
  if (type.kind === 'struct') return [...type.fields.values()].some(hasDecimals)
  return type.type === 'decimal'
}

/** Returns columns whose decimals have digits. Those with more digits than any type holds get none, and are text. */
export function withDigits(
  columns: readonly TableColumn[],
  measured: MeasuredDigits,
): readonly TableColumn[] {
  return columns.map((column) => ({
    ...column,
    type: typeWithDigits(column.type, column.name, measured),
  }))
}

function typeWithDigits(type: ColumnType, path: string, measured: MeasuredDigits): ColumnType {
  if (type.kind === 'array') return { ...type, items: typeWithDigits(type.items, path, measured) }
  if (type.kind === 'struct') {
    const fields = [...type.fields].map(([name, field]) => {
      return [name, typeWithDigits(field, `${path}.${name}`, measured)] as const
    })
    return { ...type, fields: new Map(fields) }
  }
  const digits = ownValue(measured, path)
  if (type.type !== 'decimal' || digits === undefined) return type
  const precision = PRECISIONS.find((most) => most >= digits.precision)
  return precision === undefined ? type : { ...type, digits: { precision, scale: digits.scale } }
}

/** Returns the decimals of columns by path, with their digits. */
function decimalsOf(columns: readonly TableColumn[]) {
  type Found = readonly (readonly [string, DecimalDigits | undefined])[]
  const find = (type: ColumnType, path: string): Found => {
    if (type.kind === 'array') return find(type.items, path)
    if (type.kind === 'scalar') return type.type === 'decimal' ? [[path, type.digits]] : []
    return [...type.fields].flatMap(([name, field]) => find(field, `${path}.${name}`))
  }
  return columns.flatMap(({ name, type }) => find(type, name))
}

/** Returns the paths of decimals that are text. */
export function textDecimals(columns: readonly TableColumn[]): readonly string[] {
  return decimalsOf(columns).flatMap(([path, digits]) => (digits === undefined ? [path] : []))
}

/** Returns the line with which NDJSON can begin, for programs that write a table of it. */
export function decimalsLine(columns: readonly TableColumn[]): string {
  const known = decimalsOf(columns).filter(([, digits]) => digits !== undefined)
  return JSON.stringify({ [DECIMALS_MEMBER]: Object.fromEntries(known) })
}

export function readDecimalsLine(line: string): MeasuredDigits {
  const { [DECIMALS_MEMBER]: digits } = JSON.parse(line) as Readonly<Record<string, MeasuredDigits>>
  if (digits === undefined) throw new Error('the export does not begin with the digits of decimals')
  return digits
}

/** No property begins with this sign. */
const DECIMALS_MEMBER = '$decimals'

/** Returns the integer that a decimal is, without its decimal point, if it has this many digits after it. */
export function decimalUnits(text: string, { precision, scale }: DecimalDigits): bigint {
  const [whole = '', fraction = ''] = text.split('.')
  const units = BigInt(whole + fraction.padEnd(scale, '0'))
  if (fraction.length > scale || String(units).replace('-', '').length > precision) {
    throw new Error(`${text} has more digits than the decimals before it. Export again.`)
  }
  return units
}
