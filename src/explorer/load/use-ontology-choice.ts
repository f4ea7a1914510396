/** The ontology that a type goes into: one that exists, or a new one. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { OntologySummary } from '../../client/endpoints/revision-1.ts'
import { ONTOLOGY_NAME_PATTERN } from '../../ontology/definition/api-name.ts'
import type { OntologyDefinition } from '../api/ontology.ts'
import { definitionQuery, meQuery, ontologiesQuery } from '../api/queries.ts'
import { useSession } from '../session/session.tsx'
import { mistakeInName } from './type-draft.ts'

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
