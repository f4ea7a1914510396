import type { ColumnOptions } from './column-plan.ts'
import type { TextStyle } from './text-style.ts'

/** Returns how the texts of a column are written, from the options for it and for all columns. */
export function styleOf(column: string, { as, texts, columnTexts }: ColumnOptions): TextStyle {
  const own = columnTexts?.get(column)
  const explicit = as?.has(column) ? 'grouped' : undefined
  return {
    numbers: own?.numbers ?? texts?.numbers ?? explicit,
    dateFormats: [...(texts?.dateFormats ?? []), ...(own?.dateFormats ?? [])],
    nulls: [...(texts?.nulls ?? []), ...(own?.nulls ?? [])],
  }
}
