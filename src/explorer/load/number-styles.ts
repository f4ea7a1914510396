/** How the numbers of a column of text are written, as the user chooses it. */
import { ownValue, type Row } from '../../formats/row.ts'
import {
  isNumberType,
  readDecimalComma,
  readGrouped,
  type TextStyle,
} from '../../transfer/columns/text-style.ts'

export type NumberStyle = 'plain' | NonNullable<TextStyle['numbers']>

/** The choices, each with an example. */
export const NUMBER_STYLES: readonly (readonly [NumberStyle, string])[] = [
  ['plain', '1234.5'],
  ['decimal comma', '1.234,5'],
  ['grouped', '1,234.5'],
]

/** Returns how texts are read as numbers; undefined if they are plain. */
export function meantNumbers(style: NumberStyle): TextStyle['numbers'] {
  return style === 'plain' ? undefined : style
}

/** Returns the style that is shown for a property of a type; undefined if it has no numbers. */
export function shownNumbers(type: string, { numbers }: TextStyle = {}): NumberStyle | undefined {
  return isNumberType(type) ? (numbers ?? 'plain') : undefined
}

/** Returns the first style that fits all values of a column; `plain` if none does. */
export function suggestedNumbers(sample: readonly Row[], column: string): NumberStyle {
  const texts = sample
    .map(({ cells }) => ownValue(cells, column))
    .filter((value) => typeof value === 'string')
    .map((text) => text.trim())
    .filter((text) => text !== '')
  const fits = (read: (text: string) => unknown) => texts.every((text) => read(text) !== undefined)
  if (fits((text) => (Number.isNaN(Number(text)) ? undefined : text))) return 'plain'
  if (fits(readGrouped)) return 'grouped'
  return fits(readDecimalComma) ? 'decimal comma' : 'plain'
}
