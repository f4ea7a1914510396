/** A dashboard: several charts, maps and tables over one set of filters. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useLocation, useNavigate, useParams } from '@tanstack/react-router'
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { countOf } from '../../contract/count-of.ts'
import { screenPath } from '../api/base-path.ts'
import { findRenamedType, findType } from '../api/ontology.ts'
import { definitionQuery, messageOf } from '../api/service.ts'
import { type FilteredProps, FilterForm } from '../filters/filter-form.tsx'
import { LostNote } from '../filters/lost-note.tsx'
import { Pills } from '../filters/pills.tsx'
import { NoType } from '../queries/definition-screen.tsx'
import { useSession } from '../session/session.tsx'
import { sharedSearch, type Tile, tileOfView, viewOfTile } from '../share/dashboard-tiles.ts'
import { bodyOf, type SavedView, saveView, viewQuery } from '../share/saved-views.ts'
import { ViewForm } from '../share/views-panel.tsx'
import { useWalk } from '../table/use-walk.ts'
import { Button, ErrorNote, Icon, Mistake, ScreenNote } from '../ui/controls.tsx'
import { Popup } from '../ui/dialog.tsx'
import { useNotice, useTask } from '../ui/hooks.ts'
import { lostFilters } from '../view/lost-parts.ts'
import { type ShownType, type TypeView, withKnownOrder } from '../view/type-view.ts'
import { useView } from '../view/use-view.ts'
import type { ViewState } from '../view/view-state.ts'
import { AddTile } from './add-tile.tsx'
import { TileEditor } from './tile-editor.tsx'
import { TileView, titleOfTile } from './tile-view.tsx'

export function DashboardScreen() {
  const { service } = useSession()
  const { ontology: name = '', id = '' } = useParams({ strict: false }) as Record<string, string>
  const definition = useQuery(definitionQuery(service, name))
  const saved = useQuery(viewQuery(service, name, id))
  const error = definition.error ?? saved.error
  if (error !== null) {
    return (
      <ScreenNote title="Dashboard">
        <ErrorNote error={error} />
        <p className="mx-4">
          <Link to={screenPath(name)}>See what there is.</Link>
        </p>
      </ScreenNote>
    )
  }
  if (definition.data === undefined || saved.data === undefined) {
    return <p className="late py-12 px-6 text-muted">Loading…</p>
  }
  const [, typeName = '', search = ''] = /^\/([^?]*)\??(.*)$/.exec(saved.data.address) ?? []
  const objectType =
    findType(definition.data, typeName) ?? findRenamedType(definition.data, typeName)
  if (objectType === undefined) {
    return <NoType ontology={definition.data} name={typeName} />
  }
  return (
    <Dashboard
      key={id}
      of={{ ontology: definition.data, objectType }}
      saved={saved.data}
      search={search}
    />
  )
}

interface DashboardProps {
  readonly of: ShownType
  readonly saved: SavedView
  /** The filters that it was saved with, as search parameters. */
  readonly search: string
}

/** Applies the saved filters to an address that has none: a link to a dashboard is short. */
function useSavedFilters(search: string): boolean {
  const shown = useLocation({ select: ({ searchStr }) => searchStr })
  const navigate = useNavigate()
  const isApplied = useRef(shown !== '' || search === '')
  const [isReady, setReady] = useState(isApplied.current)
  useEffect(() => {
    if (isApplied.current) return
    isApplied.current = true
    void navigate({ to: '.', search: { text: `?${search}` }, replace: true } as never)
    setReady(true)
  }, [search, navigate])
  return isReady
}

function Dashboard({ of: type, saved, search }: DashboardProps) {
  const isReady = useSavedFilters(search)
  return isReady ? <ShownDashboard of={type} saved={saved} search={search} /> : null
}

function ShownDashboard({ of: { ontology, objectType }, saved }: DashboardProps) {
  const [view, setView] = useView()
  const of = useMemo(() => {
    const type = { ontology, objectType }
    return { ...type, view: withKnownOrder(view, type) }
  }, [ontology, objectType, view])
  const lost = lostFilters(view, of)
  // All tiles show one version: that of the first rows.
  const walk = useWalk(of, 0)
  const version = walk.state.pages[0]?.version
  const canCount = walk.state.pages.length > 0 && !walk.isStale
  const counted = useMemo(() => ({ ...of, version }), [of, version])
  const [edited, setEdited] = useState<readonly Tile[]>()
  const isEdited = edited !== undefined && saved.mayChange
  const [notice, showNotice] = useNotice()
  const filtered = { of: counted, canCount, view, setView }
  const { totalCount } = walk.state
  return (
    <div className="grid gap-3 p-4 max-w-360 mx-auto">
      <header className="flex flex-wrap items-center gap-3">
        <h1>{saved.name}</h1>
        <span className="data">
          {totalCount === undefined ? '' : countOf(totalCount, 'object')}
        </span>
        <span className="flex-1" />
        <Popup label={withPlus('Filter')} panelLabel="New filter">
          {(close) => <FilterForm {...filtered} close={close} />}
        </Popup>
        {saved.mayChange && <EditTools {...{ of, saved, edited, setEdited, showNotice }} />}
        <span role="status" className="label empty:hidden">
          {notice}
        </span>
      </header>
      {saved.description !== undefined && <p>{saved.description}</p>}
      <Pills {...filtered} />
      {isEdited && (
        <SaveBar
          {...{ ontology, objectType, saved, tiles: edited, search: sharedSearch(view) }}
          onDone={(text) => {
            setEdited(undefined)
            showNotice(text)
          }}
        />
      )}
      {lost.length > 0 ? (
        <LostNote lost={lost} onChange={setView} />
      ) : (
        walk.state.error !== undefined && <ErrorNote error={walk.state.error} />
      )}
      <TileList
        {...{ ...filtered, isEdited, setEdited }}
        tiles={edited ?? saved.tiles ?? []}
        hasContent={lost.length === 0}
      />
    </div>
  )
}

function withPlus(text: string): ReactNode {
  return (
    <>
      <Icon name="plus" size={14} /> {text}
    </>
  )
}

interface EditToolsProps {
  readonly of: TypeView
  readonly saved: SavedView
  /** The tiles while they are arranged. */
  readonly edited: readonly Tile[] | undefined
  readonly setEdited: (tiles: readonly Tile[]) => void
  readonly showNotice: (text?: string) => void
}

/** Adds a tile, starts to arrange them, and changes the name: for those who may. */
function EditTools({ of, saved, edited, setEdited, showNotice }: EditToolsProps) {
  const navigate = useNavigate()
  const { ontology, objectType } = of
  const tiles = edited ?? saved.tiles ?? []
  const leave = () => void navigate({ to: screenPath(ontology.apiName, objectType.apiName) })
  return (
    <>
      <Popup label={withPlus('Tile')} panelLabel="New tile">
        {(close) => (
          <AddTile
            of={of}
            onAdd={(tile) => {
              close()
              setEdited([...tiles, tile])
            }}
          />
        )}
      </Popup>
      {edited === undefined && (
        <>
          <Button onClick={() => setEdited(tiles)}>Arrange</Button>
          <Popup label="Name and sharing" panelLabel="Name and sharing">
            {(close) => (
              <ViewForm
                of={of}
                edited={saved}
                onDone={(text) => {
                  close()
                  showNotice(text)
                }}
                onDeleted={leave}
              />
            )}
          </Popup>
        </>
      )}
    </>
  )
}

interface TileListProps extends FilteredProps {
  readonly tiles: readonly Tile[]
  readonly isEdited: boolean
  /** False if a filter cannot be applied: then no tile shows objects. */
  readonly hasContent: boolean
  readonly setEdited: (tiles: readonly Tile[]) => void
}

function TileList({ of, canCount, setView, tiles, isEdited, ...props }: TileListProps) {
  const { hasContent, setEdited } = props
  const repair = (index: number, shown: TypeView) => (change: Partial<ViewState>) => {
    const tile = tiles[index]
    const { search } = tileOfView({ ...shown.view, ...change })
    if (tile !== undefined) setEdited(tiles.with(index, { ...tile, search }))
  }
  return (
    <ul className="grid gap-4 m-0 p-0 list-none grid-cols-1 min-[1000px]:grid-cols-3">
      {tiles.map((tile, index) => {
        const shown = { ...of, view: viewOfTile(tile, of.view) }
        return (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: tiles have no identity of their own
            key={index}
            className={`grid content-start gap-3 min-w-0 p-4 border border-line rounded-lg bg-panel ${SPANS[tile.width]}`}
          >
            <h2 className="truncate text-lg">{titleOfTile(tile, shown)}</h2>
            {isEdited && <TileEditor tiles={tiles} index={index} onChange={setEdited} />}
            {hasContent && (
              <TileView
                of={shown}
                canCount={canCount}
                setView={setView}
                onRepair={repair(index, shown)}
              />
            )}
          </li>
        )
      })}
    </ul>
  )
}

const SPANS: Readonly<Record<Tile['width'], string>> = {
  1: '',
  2: 'min-[1000px]:col-span-2',
  3: 'min-[1000px]:col-span-3',
}

interface SaveBarProps extends ShownType {
  readonly saved: SavedView
  readonly tiles: readonly Tile[]
  readonly search: string
  readonly onDone: (notice?: string) => void
}

/** Saves the tiles as they are arranged, with the filters on the screen. */
function SaveBar({ ontology, objectType, saved, tiles, search, onDone }: SaveBarProps) {
  const { service } = useSession()
  const client = useQueryClient()
  const { run, isBusy, error } = useTask()
  const save = () =>
    run(async () => {
      const address = `/${objectType.apiName}${search}`
      const body = { ...bodyOf(saved), address, tiles: [...tiles] }
      await saveView(service, ontology.apiName, body, saved.id)
      await client.invalidateQueries({ queryKey: ['views', ontology.apiName] })
      onDone(`Saved “${saved.name}”.`)
    })
  return (
    <div className="flex flex-wrap items-center gap-2 py-2 px-3 rounded-md bg-accent-bg text-base">
      <span className="flex-1">
        Change the order, the width and the titles. The filters above are saved as well.
      </span>
      <Mistake>{error && messageOf(error)}</Mistake>
      <Button onClick={() => onDone()}>Cancel</Button>
      <Button kind="primary" disabled={isBusy || tiles.length === 0} onClick={save}>
        Save
      </Button>
    </div>
  )
}
