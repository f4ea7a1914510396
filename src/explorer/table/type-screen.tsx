/** The objects of one type. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import {
  findType,
  nameOf,
  type ObjectTypeDefinition,
  type OntologyDefinition,
} from '../api/ontology.ts'
import { definitionQuery } from '../api/queries.ts'
import { keyText } from '../api/records.ts'
import { Facets } from '../facets/facets.tsx'
import { RequestPanel } from '../lens/request-panel.tsx'
import { MapView } from '../map/map-view.tsx'
import { Peek } from '../object/peek.tsx'
import { addressOf, listText, searchOf, toLink } from '../object/trail.ts'
import { type LinkedList, withinLink } from '../object/within-link.ts'
import { Pictures } from '../pictures/pictures.tsx'
import { useSession } from '../shell/session.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { useView } from '../view/use-view.ts'
import { pointProperty } from '../view/where.ts'
import { columnsOf } from './columns.ts'
import { Grid } from './grid.tsx'
import { StatusBar } from './status-bar.tsx'
import { Toolbar } from './toolbar.tsx'
import styles from './type-screen.module.css'
import { useViewKeys } from './use-view-keys.ts'
import { PAGE_SIZE, useWalk } from './use-walk.ts'
import { WalkNotice } from './walk-notice.tsx'

export function TypeScreen() {
  const { send } = useSession()
  const { ontology = '', type = '' } = useParams({ strict: false }) as Readonly<
    Record<string, string>
  >
  const { data, error, refetch } = useQuery(definitionQuery(send, ontology))
  if (error !== null) return <ErrorNote error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <p className={styles.note}>Loading…</p>
  const objectType = findType(data, type)
  if (objectType === undefined) {
    return (
      <p className={styles.note}>
        There is no object type “{type}” in {nameOf(data)}.
      </p>
    )
  }
  return <Objects key={objectType.rid} ontology={data} objectType={objectType} />
}

export interface ObjectsProps {
  readonly ontology: OntologyDefinition
  readonly objectType: ObjectTypeDefinition
  readonly linked?: LinkedList
}

export function Objects({ ontology, objectType, linked }: ObjectsProps) {
  const [shownView, setShownView] = useView()
  const { view, setView } = useMemo(
    () => withinLink(shownView, setShownView, linked),
    [shownView, setShownView, linked],
  )
  const [restarts, setRestarts] = useState(0)
  const [isRequestShown, setRequestShown] = useState(false)
  const navigate = useNavigate()
  const walk = useWalk({ ontology, objectType, view }, restarts)
  const columns = useMemo(
    () => columnsOf(ontology, objectType, view.columns),
    [ontology, objectType, view.columns],
  )
  const point = pointProperty(objectType)
  useViewKeys({
    '/': () => document.querySelector<HTMLElement>('[role="search"] input')?.focus(),
    s: () => setView({ isSnapshot: !view.isSnapshot }),
    r: () => setRequestShown(!isRequestShown),
  })
  const open = (row: number) => {
    const record = walk.walk.record(row)
    if (record === undefined) return
    const one = { type: objectType.apiName, key: keyText(record.key) }
    const search = searchOf(listText(shownView), linked?.trail ?? [])
    void navigate(toLink(addressOf(ontology.apiName, one, search)) as never)
  }
  const filter = (row: number, column: string, isExcluded: boolean) => {
    const value = walk.walk.record(row)?.properties[column]
    const condition =
      value === undefined || value === null
        ? {
            field: column,
            operator: isExcluded ? ('filled' as const) : ('empty' as const),
            value: '',
          }
        : {
            field: column,
            operator: isExcluded ? ('neq' as const) : ('eq' as const),
            value: String(value),
          }
    setView({ filters: [...view.filters, condition] })
  }
  const peek = (row: number) => {
    const record = walk.walk.record(row)
    if (record !== undefined) setView({ peek: keyText(record.key) }, { replace: true })
  }
  return (
    <div className={styles.screen}>
      <Toolbar
        objectType={objectType}
        view={view}
        setView={setView}
        walk={walk}
        isRequestShown={isRequestShown}
        onRequestShown={setRequestShown}
      />
      <WalkNotice
        walk={walk}
        view={view}
        onRestart={() => setRestarts((count) => count + 1)}
        setView={setView}
      />
      <div className={styles.content}>
        <Facets of={{ ontology, objectType, view }} setView={setView} />
        {view.layout === 'map' && point !== undefined ? (
          <MapView of={{ ontology, objectType, view }} property={point} setView={setView} />
        ) : view.layout === 'pictures' ? (
          <Pictures of={{ ontology, objectType, view }} setView={setView} />
        ) : (
          <Grid
            label={nameOf(objectType)}
            walk={walk}
            columns={columns}
            primaryKey={objectType.primaryKey}
            order={view.order}
            onOrder={(order) => setView({ order })}
            onOpen={open}
            onPeek={peek}
            onFilter={filter}
          />
        )}
        {view.peek !== undefined && (
          <Peek
            address={{ ontology, objectType, key: view.peek }}
            onClose={() => setView({ peek: undefined }, { replace: true })}
          />
        )}
        {isRequestShown && (
          <RequestPanel
            of={{ ontology, objectType, view }}
            revision={walk.revision}
            pageSize={PAGE_SIZE}
          />
        )}
      </div>
      <StatusBar walk={walk} />
    </div>
  )
}
