/** The input that suits the values of a type, and the conversion of its text to a filter value. */
import type { InputHTMLAttributes } from 'react'
import type { ScalarType } from '../api/ontology.ts'

export interface FilterInput {
  readonly kind: 'boolean' | 'text' | 'date' | 'timestamp'
  readonly attributes: Pick<
    InputHTMLAttributes<HTMLInputElement>,
    'type' | 'step' | 'pattern' | 'inputMode' | 'title'
  >
  readonly hint: string | undefined
  /** True if frequent values help. */
  readonly hasSuggestions: boolean
  readonly toInput: (value: string) => string
  readonly fromInput: (text: string) => string
}

const same = (text: string) => text
const TEXT: FilterInput = {
  kind: 'text',
  attributes: { type: 'text' },
  hint: undefined,
  hasSuggestions: true,
  toInput: same,
  fromInput: same,
}
const WHOLE: FilterInput = {
  ...TEXT,
  // Not `number`: browsers would round the largest values.
  attributes: { inputMode: 'numeric', pattern: '-?[0-9]+', title: 'A whole number' },
  hasSuggestions: false,
}
const DECIMAL: FilterInput = {
  ...TEXT,
  attributes: {
    inputMode: 'decimal',
    pattern: '-?[0-9]*[.]?[0-9]+(?:[eE][+\\-]?[0-9]+)?',
    title: 'A number',
  },
  hasSuggestions: false,
}
const TIMESTAMP: FilterInput = {
  ...TEXT,
  kind: 'timestamp',
  attributes: { type: 'datetime-local', step: 1 },
  hint: 'UTC',
  hasSuggestions: false,
  toInput: (value) => {
    const date = new Date(value)
    return Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, 19)
  },
  fromInput: (text) => (text === '' ? '' : new Date(`${text}Z`).toISOString()),
}

const INPUTS: Readonly<Partial<Record<ScalarType, FilterInput>>> = {
  boolean: { ...TEXT, kind: 'boolean', hasSuggestions: false },
  byte: WHOLE,
  short: WHOLE,
  integer: WHOLE,
  long: WHOLE,
  float: DECIMAL,
  double: DECIMAL,
  decimal: DECIMAL,
  date: { ...TEXT, kind: 'date', attributes: { type: 'date' }, hasSuggestions: false },
  timestamp: TIMESTAMP,
}

export function inputOf(type: ScalarType | undefined): FilterInput {
  return (type && INPUTS[type]) ?? TEXT
}
