/** The column of a field that no object has, for types that lack a property of their interface. */
import type { ScalarType } from '../../../ontology/definition/property-type.ts'
import { bitsFor } from '../arrays/bits.ts'
import { Dictionary, DictionaryWriter } from '../arrays/dictionary.ts'
import { ImageWriter } from '../arrays/shared-arrays.ts'
import type { Column, ListColumn } from './column.ts'

interface AbsentField {
  readonly type: ScalarType
  readonly ofElements?: true | undefined
}

/** Returns a column without values. Those of other segments have the form, if there are any. */
export function absentColumn(
  field: AbsentField,
  size: number,
  form: Column['kind'] | undefined,
): Column {
  if ('ofElements' in field && field.ofElements) {
    const values = absentColumn({ type: field.type }, 0, form) as ListColumn['values']
    return { kind: 'list', starts: new Uint32Array(size + 1), values, present: bitsFor(size) }
  }
  const { type } = field
  const present = bitsFor(size)
  if (type === 'geopoint') {
    const degrees = new Float64Array(size)
    return { kind: 'points', longitudes: degrees, latitudes: degrees, present }
  }
  if (form === 'codes' || (form === undefined && TEXTS.includes(type))) {
    const image = new ImageWriter()
    const place = new DictionaryWriter().finish(image)
    const dictionary = new Dictionary(image.finish(), place)
    return { kind: 'codes', type, codes: new Uint8Array(size), dictionary }
  }
  const range = { isWhole: true, min: 0, max: 0 }
  return { kind: 'numbers', type, values: new Uint8Array(size), present, range }
}

const TEXTS: readonly ScalarType[] = ['string', 'marking', 'decimal']
