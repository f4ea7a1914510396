/** Measures the digits of decimals, before a file is written that needs to know them. */
import { JsonSource } from './arrow/json-source.ts'
import { RecordScanner } from './arrow/scan-records.ts'
import { hasDecimals, type MeasuredDigits } from './decimal-digits.ts'
import { ownValue } from './row.ts'
import type { ColumnType, DecimalDigits, TableColumn } from './table-file.ts'

/** Measures the decimals of records. */
export class DecimalMeter {
  readonly #measures = new Map<string, Measure>()
  readonly #scanner: RecordScanner

  /** Records have these columns and no others. */
  constructor(columns: readonly TableColumn[]) {
    this.#scanner = new RecordScanner(
      columns.map(({ name, type }) => ({ name, values: this.#valuesOf(type, name) })),
    )
  }

  /** Adds records: JSON objects, with line feeds between them. */
  add(records: Uint8Array): void {
    this.#scanner.start(records)
    while (this.#scanner.next(0) > 0);
  }

  get digits(): MeasuredDigits {
    return Object.fromEntries([...this.#measures].map(([path, { digits }]) => [path, digits]))
  }

  #valuesOf(type: ColumnType, name: string) {
    if (!hasDecimals(type)) return SKIPPED
    if (type.kind === 'scalar') return this.#measureOf(name)
    const add = this.#adderOf(type, name)
    return { append: (source: JsonSource) => add(source.parse()) }
  }

  #adderOf(type: ColumnType, path: string): (value: unknown) => void {
    if (type.kind === 'array') {
      const add = this.#adderOf(type.items, path)
      return (values) => (values as readonly unknown[]).forEach(add)
    }
    if (type.kind === 'struct') {
      const adders = [...type.fields]
        .filter(([, field]) => hasDecimals(field))
        .map(([name, field]) => [name, this.#adderOf(field, `${path}.${name}`)] as const)
      return (struct) => {
        for (const [name, add] of adders) {
          const value = ownValue(struct as object, name) ?? null
          if (value !== null) add(value)
        }
      }
    }
    const measure = this.#measureOf(path)
    return (value) => measure.add(String(value))
  }

  #measureOf(path: string): Measure {
    const measure = new Measure()
    this.#measures.set(path, measure)
    return measure
  }
}

/** Values of other types. */
const SKIPPED = { append: (source: JsonSource) => source.skipValue() }

const [QUOTE, MINUS, POINT, ZERO] = [0x22, 0x2d, 0x2e, 0x30]

/** The most digits of decimals on each side of the decimal point. */
class Measure {
  #whole = 0
  #scale = 0

  get digits(): DecimalDigits {
    return { precision: Math.max(1, this.#whole + this.#scale), scale: this.#scale }
  }

  add(text: string): void {
    this.append(new JsonSource(Buffer.from(JSON.stringify(text))))
  }

  /** Reads a decimal, which JSON has as text without escapes, without leading zeros but a single one. */
  append(source: JsonSource): void {
    const { bytes } = source
    let start = source.at + 1
    if (bytes[start] === MINUS) start += 1
    let point = -1
    let at = start
    for (; at < bytes.length && bytes[at] !== QUOTE; at += 1) if (bytes[at] === POINT) point = at
    source.at = at + 1
    const end = point === -1 ? at : point
    const whole = bytes[start] === ZERO ? 0 : end - start
    if (whole > this.#whole) this.#whole = whole
    if (point !== -1 && at - point - 1 > this.#scale) this.#scale = at - point - 1
  }
}
