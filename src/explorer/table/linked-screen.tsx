/** The objects at a link of an object, as a table that can be filtered further. */

import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { findType, type LinkSide, linksOf, wordsOf } from '../api/ontology.ts'
import { screenPath } from '../api/screen-path.ts'
import { TrailPath } from '../object/trail-path.tsx'
import { DefinitionScreen } from '../queries/definition-screen.tsx'
import { linkFilter, type ObjectAddress, objectQuery } from '../queries/object-queries.ts'
import { useSession } from '../session/session.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { ScreenNote } from '../ui/screen-note.tsx'
import { searchRecord } from '../view/search-record.ts'
import { listText, readTrail } from '../view/trail.ts'
import { useView } from '../view/use-view.ts'
import type { ViewState } from '../view/view-state.ts'
import { Objects } from './type-screen.tsx'

export function LinkedScreen() {
  return (
    <DefinitionScreen titleOf={({ link }) => link}>
      {(ontology, { type, key, link: name }) => {
        const objectType = findType(ontology, type)
        const link = linksOf(ontology, type).find(({ apiName }) => apiName === name)
        if (objectType === undefined || link === undefined) {
          return `“${type}” has no link “${name}”.`
        }
        return (
          <LinkedObjects
            key={`${objectType.rid} ${key} ${name}`}
            address={{ ontology, objectType, key }}
            link={link}
          />
        )
      }}
    </DefinitionScreen>
  )
}

interface LinkedObjectsProps {
  readonly address: ObjectAddress
  readonly link: LinkSide
}

function LinkedObjects({ address, link }: LinkedObjectsProps) {
  const { service } = useSession()
  const [view] = useView()
  const navigate = useNavigate()
  const { ontology, objectType, key } = address
  const { data, error } = useQuery(objectQuery(service, address))
  const target = findType(ontology, link.target)
  const trail = useMemo(() => readTrail(view.trail), [view.trail])
  const path = useMemo(
    () => [...trail, { type: objectType.apiName, key, link: link.apiName, list: '' }],
    [trail, objectType, key, link],
  )
  const leave = useCallback(
    (left: ViewState) => {
      const to = screenPath(ontology.apiName, link.target)
      void navigate({ to, search: searchRecord({ ...left, trail: [] }) } as never)
    },
    [navigate, ontology, link],
  )
  const linked = useMemo(
    () => data && target && { filter: linkFilter(link, data.record, target), trail: path, leave },
    [data, link, target, path, leave],
  )
  if (data === undefined && error !== null) {
    return (
      <ScreenNote title={wordsOf(link.apiName)}>
        <ErrorNote error={error} />
      </ScreenNote>
    )
  }
  return (
    <div className="flex flex-col h-full">
      <div className="px-4 pt-2 pb-0">
        <TrailPath
          ontology={ontology}
          type={objectType.apiName}
          trail={path}
          list={listText(view)}
          isList
          here={wordsOf(link.apiName)}
        />
      </div>
      <div className="flex-1 min-h-0">
        {target !== undefined && linked !== undefined && (
          <Objects ontology={ontology} objectType={target} linked={linked} />
        )}
      </div>
    </div>
  )
}
