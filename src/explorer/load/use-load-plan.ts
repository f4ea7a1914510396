/** Where a file goes, and how it becomes objects: what the user chose, and what follows from it. */

import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { ONTOLOGY_NAME_PATTERN } from '../../ontology/definition/api-name.ts'
import type { ObjectTypeDefinition } from '../../ontology/definition/definition-schema.ts'
import { freeName } from '../../transfer/columns/column-names.ts'
import { definitionQuery, meQuery, ontologiesQuery, serviceUrl } from '../api/service.ts'
import { useSession } from '../session/session.tsx'
import { parsedType } from './apply-type.ts'
import { checkSample, type SampleCheck } from './check-sample.ts'
import { type ColumnMapping, type ColumnReadings, existingTarget } from './column-mapping.ts'
import type { FileReport, LoadSpec, Report, ScreenParams } from './messages.ts'
import {
  columnOptionsOf,
  definitionOf,
  draftOf,
  mistakeInName,
  mistakeInProperties,
  type TypeDraft,
} from './type-draft.ts'
import { startWorker } from './use-file-load.ts'

/** Whether the file becomes a new type, or goes into one that exists. */
type Goal = 'new' | 'existing'

const UNCHECKED: SampleCheck = { misfits: [], repeats: [] }

export function useLoadPlan(file: File, report: FileReport, screen: ScreenParams) {
  const inferredName = report.inferred.definition.apiName
  const choice = useOntologyChoice(screen.ontology, inferredName)
  const types = choice.definition?.objectTypes ?? []
  const [chosenGoal, setGoal] = useState<Goal>()
  const [chosenType, setType] = useState<string>()
  const [draft, setDraft] = useState<TypeDraft>(() => draftOf(report.inferred))
  const [mode, setMode] = useState<LoadSpec['mode']>('upsert')

  // A type of the same name, or the one on the screen, is what the file belongs to.
  const likely = types.find(({ apiName }) => apiName === (screen.type ?? inferredName))
  const goal: Goal =
    types.length === 0 ? 'new' : (chosenGoal ?? (likely === undefined ? 'new' : 'existing'))
  const existing = (types.find(({ apiName }) => apiName === chosenType) ?? likely ?? types[0]) as
    | ObjectTypeDefinition
    | undefined
  const isTaken = types.some(({ apiName }) => apiName === draft.apiName)
  const target = useTarget(report, draft, goal === 'existing' ? existing : undefined)
  const { objectType, columns, isNumbered } = target

  // Fields say what is wrong with names that were written.
  const nameMistake = mistakeInName(draft.apiName)
  const isNamed = goal === 'existing' || (!choice.mistake && !nameMistake && !isTaken)
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
  const newPart = choice.isNew ? 'ontology' : 'type'
  const created = goal === 'existing' ? undefined : newPart
  // Numbers that somebody else takes in the meantime are not overwritten.
  const usedMode = created !== undefined ? 'upsert' : isNumbered ? 'append' : mode
  const spec = useMemo((): LoadSpec => {
    const where = { ontology: choice.name, objectType, created } as const
    return { file, baseUrl: serviceUrl(), ...where, columns, mode: usedMode, isNumbered }
  }, [file, choice.name, objectType, created, columns, usedMode, isNumbered])
  const chooseType = (apiName: string) => {
    setType(apiName)
    target.forget()
  }
  return {
    ...{ report, choice, types, goal, setGoal, existing, chooseType },
    ...{ draft, setDraft, isTaken, nameMistake, mode, setMode, ...target, mistakes },
    ...check,
    spec,
    canLoad: mistakes.length === 0 && isNamed && choice.isKnown,
  }
}

/** How the file becomes objects: of a type that exists, as its columns are mapped, or of a new one. */
function useTarget(
  report: FileReport,
  draft: TypeDraft,
  existing: ObjectTypeDefinition | undefined,
) {
  const [mapping, setMapping] = useState<ColumnMapping>()
  const [readings, setReadings] = useState<ColumnReadings>(new Map())
  const target = useMemo(
    () =>
      existing === undefined
        ? { ...newTarget(draft), mapping: undefined }
        : { objectType: existing, ...existingTarget(existing, report, mapping, readings) },
    [draft, existing, mapping, readings, report],
  )
  const forget = () => {
    setMapping(undefined)
    setReadings(new Map())
  }
  return { ...target, setMapping, readings, setReadings, forget }
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

const ONTOLOGY_NAME = new RegExp(ONTOLOGY_NAME_PATTERN)

/**
 * The ontology that a type goes into: one that exists, or a new one. Begins with the ontology of the
 * screen. Elsewhere, a new one is proposed, if the caller may create it: a file that is dropped on the
 * list of ontologies belongs to none of them, and least of all to the demo.
 */
export function useOntologyChoice(shown: string | undefined, proposed = '') {
  const { service } = useSession()
  const { data: ontologies = [], isSuccess } = useQuery(ontologiesQuery(service))
  const { data: me } = useQuery(meQuery(service))
  const [chosen, setChosen] = useState<string>()
  const [newName, setNewName] = useState<string>()
  const canCreate = me?.ontologies === undefined
  const preferred =
    ontologies.find(({ apiName, rid }) => apiName === shown || rid === shown) ??
    (canCreate ? undefined : ontologies[0])
  const isNew =
    newName !== undefined || (isSuccess && chosen === undefined && preferred === undefined)
  const isUsed = (name: string) => ontologies.some(({ apiName }) => apiName === name)
  const free = proposed === '' ? '' : freeName(proposed, isUsed)
  const name = isNew ? (newName ?? free) : (chosen ?? preferred?.apiName ?? '')
  const { data: definition } = useQuery({
    ...definitionQuery(service, name),
    enabled: !isNew && name !== '',
  })
  const mistake = isUsed(name)
    ? `There is an ontology “${name}” already.`
    : mistakeInName(name, ONTOLOGY_NAME)
  return {
    /** The API name. */
    name,
    isNew,
    /** The definition of one that exists, once it is known. */
    definition: isNew ? undefined : definition,
    /** False until it is known which types the ontology has. */
    isKnown: isNew || definition !== undefined,
    ontologies,
    /** False if the token is limited to some ontologies. */
    canCreate,
    mistake: isNew ? mistake : undefined,
    choose: (apiName: string) => {
      setNewName(undefined)
      setChosen(apiName)
    },
    create: setNewName as (name: string) => void,
  }
}

export type OntologyChoice = ReturnType<typeof useOntologyChoice>

/** What the worker reports, or that the user did not wait for it. */
export type Comparing =
  | Extract<Report, { readonly kind: 'comparing' | 'compared' | 'failed' }>
  | { readonly kind: 'skipped' }

const START: Comparing = { kind: 'comparing', rows: 0 }

/** Compares a file with the objects of a type. Starts again with every other spec. */
export function useComparison(spec: LoadSpec | undefined) {
  const [state, setState] = useState<{ of?: LoadSpec | undefined; comparing: Comparing }>()
  const current = state?.of === spec ? state?.comparing : undefined
  const isSkipped = current?.kind === 'skipped'
  useEffect(() => {
    if (spec === undefined || isSkipped) return
    const worker = startWorker((report) => setState({ of: spec, comparing: report as Comparing }))
    worker.post({ kind: 'compare', spec })
    return () => worker.terminate()
  }, [spec, isSkipped])
  return {
    comparing: current ?? START,
    skip: () => setState({ of: spec, comparing: { kind: 'skipped' } }),
  }
}
