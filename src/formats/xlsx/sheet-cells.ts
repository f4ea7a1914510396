/** Values as cells of an Excel sheet. What Excel cannot hold exactly is written as text. */
import type { ColumnType } from '../table-file.ts'

/** The UTF-16 units that a cell can hold. */
const TEXT_MAX_LENGTH = 32_767
/** The digits of a number that Excel keeps. */
const DIGITS_MAX = 15
const DAY_MS = 86_400_000
/** The day before day 1 of Excel, which counts a 29 February 1900 that never was. */
const EPOCH_MS = Date.UTC(1899, 11, 30)
const FIRST_MS = Date.UTC(1900, 2, 1)
const LAST_MS = Date.UTC(9999, 11, 31) + DAY_MS - 1

/** The numbers of formats in `STYLES`. */
export const STYLE = { plain: 0, date: 1, time: 2, head: 3 } as const
/** The formats after those show the digits after a decimal point: one, two and so on. */
export const SCALES_MAX = DIGITS_MAX

function scaleStyle(scale: number): number {
  return STYLE.head + scale
}

/** What a cell contains: XML, and whether a text was cut. */
export interface Cell {
  /** The attributes after the reference. */
  readonly attributes: string
  readonly content: string
  readonly isCut?: boolean
}

/** Returns a function that writes the values of a column. */
export function cellWriter(type: ColumnType): (value: unknown) => Cell {
  if (type.kind !== 'scalar') return jsonCell
  return SCALARS[type.type] ?? jsonCell
}

const SCALARS: Readonly<Record<string, (value: unknown) => Cell>> = {
  string: textCell,
  marking: textCell,
  boolean: (value) => ({ attributes: ' t="b"', content: `<v>${value === true ? 1 : 0}</v>` }),
  byte: numberCell,
  short: numberCell,
  integer: numberCell,
  // Both are texts in JSON, with any number of digits.
  long: exactCell,
  decimal: decimalCell,
  float: numberCell,
  double: numberCell,
  date: (value) => timeCell(value, Date.parse(`${value}T00:00:00Z`), STYLE.date),
  timestamp: timestampCell,
}

function jsonCell(value: unknown): Cell {
  return textCell(JSON.stringify(value))
}

/** Text is never a formula, whatever it begins with. */
export function textCell(value: unknown): Cell {
  const text = String(value)
  const isCut = text.length > TEXT_MAX_LENGTH
  const shown = isCut ? cut(text) : text
  return {
    attributes: ' t="inlineStr"',
    content: `<is><t xml:space="preserve">${escapeXml(shown)}</t></is>`,
    ...(isCut && { isCut }),
  }
}

function cut(text: string): string {
  const note = `… [cut: ${text.length} characters]`
  const kept = text.slice(0, TEXT_MAX_LENGTH - note.length)
  // Half of a character outside of the basic plane would not be XML.
  return kept.replace(/[\ud800-\udbff]$/, '') + note
}

function numberCell(value: unknown): Cell {
  // The special numbers are texts in JSON.
  return typeof value === 'number'
    ? { attributes: '', content: `<v>${value}</v>` }
    : textCell(value)
}

function exactCell(value: unknown): Cell {
  const digits = String(value)
    .replace(/[eE].*$|\D/g, '')
    .replace(/^0+/, '')
  return digits.length > DIGITS_MAX
    ? textCell(value)
    : { attributes: '', content: `<v>${value}</v>` }
}

/** A number shows as many digits after its point as the decimal has: 1.10, not 1.1. */
function decimalCell(value: unknown): Cell {
  const { attributes, content } = exactCell(value)
  const scale = /^-?\d*\.(\d+)$/.exec(String(value))?.[1]?.length ?? 0
  const isText = attributes !== ''
  return isText || scale === 0 || scale > SCALES_MAX
    ? { attributes, content }
    : { attributes: ` s="${scaleStyle(scale)}"`, content }
}

/** Excel counts days, to a millisecond, without a time zone: times are UTC. */
function timestampCell(value: unknown): Cell {
  const isFine = /\.\d{3}0*[1-9]/.test(String(value))
  return isFine ? textCell(value) : timeCell(value, Date.parse(String(value)), STYLE.time)
}

function timeCell(value: unknown, ms: number, style: number): Cell {
  if (!(ms >= FIRST_MS && ms <= LAST_MS)) return textCell(value)
  const days = (ms - EPOCH_MS) / DAY_MS
  return { attributes: ` s="${style}"`, content: `<v>${days}</v>` }
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** What XML cannot contain, and what looks like the escape of Excel for it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is escaped
const UNFIT = /[\u0000-\u0008\u000b\u000c\u000d\u000e-\u001f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)/g

export function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(
      UNFIT,
      (unit) => `_x${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
    )
    .replace(/[&<>]/g, (unit) => ESCAPES[unit] ?? unit)
}

/** Returns the letters of a column, from `A` for 0. */
export function columnLetters(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26))
  return index < 26 ? letter : columnLetters(Math.floor(index / 26) - 1) + letter
}
