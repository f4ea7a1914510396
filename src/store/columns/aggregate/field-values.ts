/** The values that the matches of a query have in a field, each once. */
import type { ColumnValue } from '../../../ontology/values/column-value.ts'
import type { FieldId } from '../../../ontology/values/searchable-values.ts'
import { hasBit } from '../arrays/bits.ts'
import type { CodeColumn, NumberColumn } from '../segment/column.ts'
import { fromNumber, fromText } from '../segment/stored-form.ts'
import { type FilteredSegment, selections } from './aggregator.ts'

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
  filtered: FilteredSegment,
  onChunk: () => void,
  visit: (position: number) => void,
): void {
  for (const { from, places, count } of selections(filtered, false)) {
    onChunk()
    for (let at = 0; at < count; at += 1) visit(from + (places[at] as number))
  }
}
