/** The values that the matches of a query have in a field, each once. */
import type { ColumnValue } from '../../../ontology/values/column-value.ts'
import type { FieldId } from '../../../ontology/values/searchable-values.ts'
import { CHUNK, hasBit, listBits } from '../image/bits.ts'
import type { CodeColumn, NumberColumn } from '../segment/column.ts'
import { fromNumber, fromText } from '../segment/stored-form.ts'
import type { FilteredSegment } from './aggregator.ts'

/** Returns undefined if a segment does not have the values of the field. */
export function distinctValues(
  filtered: readonly FilteredSegment[],
  field: FieldId,
  onChunk: () => void,
): readonly ColumnValue[] | undefined {
  const values = new Set<ColumnValue>()
  for (const one of filtered) {
    const column = one.segment.column(field)
    if (column?.kind === 'codes') addTexts(one, column, values, onChunk)
    else if (column?.kind === 'numbers') addNumbers(one, column, values, onChunk)
    else return undefined
  }
  return [...values]
}

function addTexts(
  filtered: FilteredSegment,
  { codes, dictionary, type }: CodeColumn,
  values: Set<ColumnValue>,
  onChunk: () => void,
): void {
  const isSeen = new Uint8Array(dictionary.size + 1)
  forEachMatch(filtered, onChunk, (position) => {
    isSeen[codes[position] as number] = 1
  })
  for (let code = 1; code < isSeen.length; code += 1) {
    if (isSeen[code] === 1) values.add(fromText(type, dictionary.at(code - 1)))
  }
}

function addNumbers(
  filtered: FilteredSegment,
  { values: numbers, present, type }: NumberColumn,
  values: Set<ColumnValue>,
  onChunk: () => void,
): void {
  const distinct = new Set<number>()
  forEachMatch(filtered, onChunk, (position) => {
    const hasValue = present === undefined || hasBit(present, position)
    if (hasValue) distinct.add(numbers[position] as number)
  })
  for (const number of distinct) values.add(fromNumber(type, number))
}

function forEachMatch(
  { segment, visible, filter }: FilteredSegment,
  onChunk: () => void,
  visit: (position: number) => void,
): void {
  const bits = new Uint32Array(CHUNK >>> 5)
  const places = new Int32Array(CHUNK)
  for (let from = 0; from < segment.size; from += CHUNK) {
    onChunk()
    const to = Math.min(from + CHUNK, segment.size)
    const words = (to - from + 31) >>> 5
    filter(from, to, bits)
    for (let word = 0; word < words; word += 1) {
      bits[word] = (bits[word] as number) & (visible[(from >>> 5) + word] as number)
    }
    const count = listBits(bits, words, from, places)
    for (let at = 0; at < count; at += 1) visit(places[at] as number)
  }
}
