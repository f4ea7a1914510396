/** Where a file goes, and how it becomes objects: what the user chose, and what follows from it. */

import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { OntologySummary } from '../../client/endpoints/revision-1.ts'
import { ONTOLOGY_NAME_PATTERN } from '../../ontology/definition/api-name.ts'
import type { ObjectTypeDefinition } from '../../ontology/definition/definition-schema.ts'
import type { OntologyDefinition } from '../api/ontology.ts'
import { definitionQuery, meQuery, ontologiesQuery, serviceUrl } from '../api/service.ts'
import { useSession } from '../session/session.tsx'
import { parsedType } from './apply-type.ts'
import { checkSample, type SampleCheck } from './check-sample.ts'
import { type ColumnMapping, type ColumnReadings, existingTarget } from './column-mapping.ts'
import type { Comparison, FileReport, LoadSpec, ScreenParams } from './messages.ts'
import {
  columnOptionsOf,
  definitionOf,
  draftOf,
  mistakeInName,
  mistakeInProperties,
  type TypeDraft,
} from './type-draft.ts'
import { startWorker } from './use-file-load.ts'

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

export interface OntologyChoice {
  /** The API name. */
  readonly name: string
  readonly isNew: boolean
  /** The definition of one that exists, once it is known. */
  readonly definition: OntologyDefinition | undefined
  /** False until it is known which types the ontology has. */
  readonly isKnown: boolean
  readonly ontologies: readonly OntologySummary[]
  /** False if the token is limited to some ontologies. */
  readonly canCreate: boolean
  readonly mistake: string | undefined
  readonly choose: (name: string) => void
  readonly create: (name: string) => void
}

const ONTOLOGY_NAME = new RegExp(ONTOLOGY_NAME_PATTERN)

/** Begins with the ontology of the screen, or with the only one that there is. */
export function useOntologyChoice(shown: string | undefined): OntologyChoice {
  const { service } = useSession()
  const { data: ontologies = [], isSuccess } = useQuery(ontologiesQuery(service))
  const { data: me } = useQuery(meQuery(service))
  const [chosen, setChosen] = useState<string>()
  const [newName, setNewName] = useState<string>()
  const preferred =
    ontologies.find(({ apiName, rid }) => apiName === shown || rid === shown) ?? ontologies[0]
  const isNew = newName !== undefined || (isSuccess && preferred === undefined)
  const name = isNew ? (newName ?? '') : (chosen ?? preferred?.apiName ?? '')
  const { data: definition } = useQuery({
    ...definitionQuery(service, name),
    enabled: !isNew && name !== '',
  })
  const isTaken = isNew && ontologies.some(({ apiName }) => apiName === name)
  return {
    name,
    isNew,
    definition: isNew ? undefined : definition,
    isKnown: isNew || definition !== undefined,
    ontologies,
    canCreate: me?.ontologies === undefined,
    mistake: isTaken
      ? `There is an ontology “${name}” already.`
      : isNew
        ? mistakeInName(name, ONTOLOGY_NAME)
        : undefined,
    choose: (apiName) => {
      setNewName(undefined)
      setChosen(apiName)
    },
    create: setNewName,
  }
}

export type Comparing =
  | { readonly kind: 'running'; readonly rows: number }
  | { readonly kind: 'done'; readonly comparison: Comparison }
  /** The user did not wait for it. */
  | { readonly kind: 'skipped' }
  | { readonly kind: 'failed'; readonly reason: string }

const START: Comparing = { kind: 'running', rows: 0 }

/** Starts again with every other spec; does nothing without one. */
export function useComparison(
  spec: LoadSpec | undefined,
  readToken: () => Promise<string>,
): { readonly comparing: Comparing; readonly skip: () => void } {
  const [state, setState] = useState<{ readonly of?: LoadSpec; readonly comparing: Comparing }>({
    comparing: START,
  })
  const token = useRef(readToken)
  token.current = readToken
  const isSkipped = state.of === spec && state.comparing.kind === 'skipped'
  useEffect(() => {
    if (spec === undefined || isSkipped) return
    const set = (comparing: Comparing) => setState({ of: spec, comparing })
    const worker = startWorker(
      () => token.current(),
      (report) => {
        if (report.kind === 'comparing') set({ kind: 'running', rows: report.rows })
        else if (report.kind === 'compared') set({ kind: 'done', comparison: report.comparison })
        else if (report.kind === 'failed') set({ kind: 'failed', reason: report.reason })
      },
    )
    worker.post({ kind: 'compare', spec })
    return () => worker.terminate()
  }, [spec, isSkipped])
  return {
    comparing: state.of === spec ? state.comparing : START,
    skip: () => setState({ ...(spec && { of: spec }), comparing: { kind: 'skipped' } }),
  }
}
