/** The texts of an object that is edited, as a form or as JSON. */
import { useState } from 'react'
import type { ObjectTypeDefinition } from '../api/ontology.ts'
import {
  draftOf,
  type ObjectDraft,
  type Properties,
  type ReadDraft,
  readDraft,
} from './object-draft.ts'

export const FORMS = ['form', 'json'] as const
type Form = (typeof FORMS)[number]

export interface DraftForm {
  readonly form: Form
  readonly texts: ObjectDraft
  readonly json: string
  /** The object as it is written, with what cannot be read. */
  readonly written: ReadDraft
  readonly hasMistakes: boolean
  readonly setTexts: (texts: ObjectDraft) => void
  readonly setJson: (json: string) => void
  readonly changeForm: (form: Form) => void
  /** Starts again with other values. */
  readonly reset: (properties: Properties, form: Form) => void
}

export function useDraft(
  objectType: ObjectTypeDefinition,
  base: Properties | undefined,
): DraftForm {
  const [form, setForm] = useState<Form>('form')
  const [texts, setTexts] = useState(() => draftOf(objectType, base ?? {}))
  const [json, setJson] = useState('')
  const written =
    form === 'form' ? readDraft(objectType, texts, base) : readJson(objectType, json, base)
  const reset = (properties: Properties, next: Form) => {
    setTexts(draftOf(objectType, properties))
    setJson(JSON.stringify(properties, undefined, 2))
    setForm(next)
  }
  const changeForm = (next: Form) => {
    // A text that cannot be read stays where it was written. In the form, a missing key is no text.
    const isLost = (name: string) => form === 'json' || name !== objectType.primaryKey
    if (!Object.keys(written.mistakes).some(isLost)) reset(written.properties, next)
  }
  const hasMistakes = Object.keys(written.mistakes).length > 0
  return { form, texts, json, written, hasMistakes, setTexts, setJson, changeForm, reset }
}

function readJson(
  { primaryKey }: ObjectTypeDefinition,
  json: string,
  base: Properties = {},
): ReadDraft {
  try {
    const properties = JSON.parse(json) as Properties
    const key = properties?.[primaryKey]
    const mistakes: Record<string, string> = {}
    if (key === undefined) mistakes[primaryKey] = 'Every object needs its primary key.'
    else if (base[primaryKey] !== undefined && key !== base[primaryKey]) {
      mistakes[primaryKey] = 'The key of an object cannot change.'
    }
    return { properties: properties ?? {}, mistakes }
  } catch (error) {
    return { properties: {}, mistakes: { json: `This is not JSON: ${(error as Error).message}.` } }
  }
}
