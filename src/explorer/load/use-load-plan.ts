/** Where a file goes, and how it becomes objects: what the user chose, and what follows from it. */
import { useMemo, useState } from 'react'
import type { ObjectTypeDefinition } from '../../ontology/definition/definition-schema.ts'
import { serviceUrl } from '../api/service-url.ts'
import { checkSample, type SampleCheck } from './check-sample.ts'
import type { ColumnMapping } from './column-mapping.ts'
import { type ColumnReadings, existingTarget } from './existing-target.ts'
import type { FileReport, LoadSpec } from './messages.ts'
import { parsedType } from './parsed-type.ts'
import type { ScreenParams } from './screen-params.ts'
import {
  columnOptionsOf,
  definitionOf,
  draftOf,
  mistakeInName,
  mistakeInProperties,
  type TypeDraft,
} from './type-draft.ts'
import { useOntologyChoice } from './use-ontology-choice.ts'

export const GOALS = ['new', 'existing'] as const
/** Whether the file becomes a new type, or goes into one that exists. */
export type Goal = (typeof GOALS)[number]

const UNCHECKED: SampleCheck = { misfits: [], repeats: [] }

export function useLoadPlan(file: File, report: FileReport, screen: ScreenParams) {
  const choice = useOntologyChoice(screen.ontology)
  const types = choice.definition?.objectTypes ?? []
  const inferredName = report.inferred.definition.apiName
  const [chosenGoal, setGoal] = useState<Goal>()
  const [chosenType, setType] = useState<string>()
  const [draft, setDraft] = useState<TypeDraft>(() => draftOf(report.inferred))
  const [mapping, setMapping] = useState<ColumnMapping>()
  const [readings, setReadings] = useState<ColumnReadings>(new Map())
  const [mode, setMode] = useState<LoadSpec['mode']>('upsert')

  // A type of the same name, or the one on the screen, is what the file belongs to.
  const likely = types.find(({ apiName }) => apiName === (screen.type ?? inferredName))
  const goal: Goal =
    types.length === 0 ? 'new' : (chosenGoal ?? (likely === undefined ? 'new' : 'existing'))
  const existing = (types.find(({ apiName }) => apiName === chosenType) ?? likely ?? types[0]) as
    | ObjectTypeDefinition
    | undefined
  const isTaken = types.some(({ apiName }) => apiName === draft.apiName)
  const target = useMemo(
    () =>
      goal === 'existing' && existing !== undefined
        ? { objectType: existing, ...existingTarget(existing, report, mapping, readings) }
        : { ...newTarget(draft), mapping: undefined },
    [goal, draft, existing, mapping, readings, report],
  )
  const { objectType, columns, isNumbered } = target

  // Fields say what is wrong with names that were written.
  const isNamed =
    goal === 'existing' ||
    (choice.mistake === undefined && mistakeInName(draft.apiName) === undefined && !isTaken)
  const isUnnamed = goal === 'new' && choice.isNew && choice.name === ''
  const mistakes = isUnnamed
    ? ['Give the new ontology a name.', ...target.mistakes]
    : target.mistakes
  const check = useMemo(
    () =>
      mistakes.length > 0
        ? UNCHECKED
        : checkSample(parsedType(objectType), columns, report.sample, report.kind),
    [mistakes.length, objectType, columns, report],
  )
  const spec = useMemo((): LoadSpec => {
    const isNew = goal === 'new'
    return {
      file,
      baseUrl: serviceUrl(),
      ontology: choice.name,
      objectType,
      columns,
      // Numbers that somebody else takes in the meantime are not overwritten.
      mode: isNew ? 'upsert' : isNumbered ? 'append' : mode,
      created: isNew ? (choice.isNew ? 'ontology' : 'type') : undefined,
      isNumbered,
    }
  }, [file, goal, choice.name, choice.isNew, objectType, columns, isNumbered, mode])
  return {
    choice,
    types,
    goal,
    setGoal,
    existing,
    chooseType: (apiName: string) => {
      setType(apiName)
      setMapping(undefined)
      setReadings(new Map())
    },
    draft,
    setDraft,
    isTaken,
    /** The properties of the columns; undefined for a new type. */
    mapping: target.mapping,
    setMapping,
    readings,
    setReadings,
    mode,
    setMode,
    mistakes,
    ...check,
    spec,
    canLoad: mistakes.length === 0 && isNamed && choice.isKnown,
  }
}

export type LoadPlan = ReturnType<typeof useLoadPlan>

/** How the file becomes objects of a new type. */
function newTarget(draft: TypeDraft) {
  const mistake = mistakeInProperties(draft)
  return {
    objectType: definitionOf(draft),
    columns: columnOptionsOf(draft),
    mistakes: mistake === undefined ? [] : [mistake],
    isNumbered: false,
  }
}
