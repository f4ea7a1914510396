/** The objects of one type. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo, useRef, useState } from 'react'
import { screenPath } from '../api/base-path.ts'
import { Observable } from '../api/observable.ts'
import { findType, type LinkSide, wordsOf } from '../api/ontology.ts'
import { LostNote } from '../filters/lost-note.tsx'
import { Peek } from '../object/property-list.tsx'
import { TrailPath } from '../object/trail-path.tsx'
import { DefinitionScreen, LinkAt } from '../queries/definition-screen.tsx'
import { linkFilter, type ObjectAddress, objectQuery } from '../queries/object-queries.ts'
import { useViewChanges } from '../queries/use-changes.ts'
import { useSession } from '../session/session.tsx'
import { useWriteCount } from '../session/use-writes.ts'
import { useActions } from '../ui/actions.tsx'
import { ErrorNote, ScreenNote } from '../ui/controls.tsx'
import { useEscape, useKeys } from '../ui/hooks.ts'
import { lazyView } from '../ui/lazy-part.tsx'
import { lostFilters } from '../view/lost-parts.ts'
import { listText, readTrail, toLink } from '../view/trail.ts'
import { placeProperty, type ShownType, withKnownOrder } from '../view/type-view.ts'
import { type LinkedList, useView, withinLink } from '../view/use-view.ts'
import { type ViewState, viewText } from '../view/view-state.ts'
import { ObjectsTable } from './grid.tsx'
import { StatusBar } from './status-bar.tsx'
import { Toolbar, Values } from './toolbar.tsx'
import {
  type GridHandle,
  ObjectsContext,
  press,
  type ShownObjects,
  TOOL_IDS,
  useObjects,
} from './use-objects.ts'
import { PAGE_SIZE, useWalk } from './use-walk.ts'
import { WalkNotice } from './walk-notice.tsx'

// Loaded when they are first shown: the table is what most visits need.
const MapView = lazyView('map', async () => (await import('../map/map-view.tsx')).MapView)
const Charts = lazyView(
  'charts',
  async () => (await import('../charts/charts-view.tsx')).ChartsView,
)
const RequestPanel = lazyView(
  'request',
  async () => (await import('../request/request-panel.tsx')).RequestPanel,
)

export function TypeScreen() {
  return (
    <DefinitionScreen>
      {(address) => <Objects {...address} key={address.objectType.rid} linked={undefined} />}
    </DefinitionScreen>
  )
}

interface ObjectsProps extends ShownType {
  readonly linked: LinkedList | undefined
}

function Objects(props: ObjectsProps) {
  const shown = useShownObjects(props)
  useScreenKeys(shown)
  const { counted, view, setView, isRequestShown, changes } = shown
  const { ontology, objectType } = props
  return (
    <ObjectsContext value={shown}>
      <div className="flex flex-col h-full">
        <Toolbar />
        <div className="relative flex flex-1 min-h-0">
          <ObjectsLayout />
          {isRequestShown && <RequestPanel of={counted} pageSize={PAGE_SIZE} />}
          {view.peek !== undefined && (
            <Peek
              address={{ ontology, objectType, key: view.peek }}
              list={{ changes }}
              onClose={() => setView(NO_PEEK, { replace: true })}
            />
          )}
        </div>
        <StatusBar />
      </div>
    </ObjectsContext>
  )
}

const NO_KEYS: ReadonlySet<string> = new Set()
const NO_PEEK = { peek: undefined }

/** What the parts of the screen share: the view, its rows, and what is open beside them. */
function useShownObjects({ ontology, objectType, linked }: ObjectsProps): ShownObjects {
  const [shownView, setShownView] = useView()
  const { view, setView } = useMemo(
    () => withinLink(shownView, setShownView, linked),
    [shownView, setShownView, linked],
  )
  const [restarts, setRestarts] = useState(0)
  const [isRequestShown, setRequestShown] = useState(false)
  const [isFinding, setFinding] = useState(false)
  // Changes with every frame of scrolling, so only the parts that show it subscribe to it.
  const [topRow] = useState(() => new Observable(0))
  const [cellNote] = useState(() => new Observable(''))
  const grid = useRef<GridHandle>(null)
  const of = useMemo(() => {
    const shown = { ontology, objectType }
    return { ...shown, view: withKnownOrder(view, shown) }
  }, [ontology, objectType, view])
  const writes = useWriteCount()
  // A snapshot stays what it is, whatever this tab writes.
  const walk = useWalk(of, view.isSnapshot ? restarts : restarts + writes)
  const hasRows = walk.state.pages.length > 0
  const firstRows = useMemo(() => (hasRows ? walk.walk.recordsOf(0) : []), [walk.walk, hasRows])
  // What is counted belongs to the same version as the rows beside it, so rows come first.
  const version = walk.state.pages[0]?.version
  const counted = useMemo(() => ({ ...of, version }), [of, version])
  const changes = useViewChanges(of, walk.state.pages[0])
  const [marks, setMarks] = useState({ topic: '', keys: NO_KEYS })
  const restart = () => setRestarts((count) => count + 1)
  const showChanges = () => {
    setMarks({ topic: walk.topic, keys: new Set(changes?.getState().changed.keys()) })
    restart()
  }
  return {
    ...{ of, counted, canCount: hasRows && !walk.isStale, view, setView, linked },
    ...{ walk, firstRows, restart, changes, showChanges },
    marked: marks.topic === walk.topic ? marks.keys : NO_KEYS,
    ...{ topRow, grid, cellNote },
    ...{ isFinding, setFinding, isRequestShown, setRequestShown },
  }
}

const focusSearch = () => document.querySelector<HTMLElement>('[role="search"] input')?.focus()

/** The keys and the commands of the screen. */
function useScreenKeys(shown: ShownObjects): void {
  const { view, setView, isFinding, setFinding, isRequestShown, setRequestShown } = shown
  const switchSnapshot = () => setView({ isSnapshot: !view.isSnapshot })
  const switchRequest = () => setRequestShown(!isRequestShown)
  const closePeek = () => setView(NO_PEEK, { replace: true })
  const closeRequest = isRequestShown ? () => setRequestShown(false) : undefined
  useEscape(view.peek === undefined ? closeRequest : closePeek)
  useKeys(
    {
      '/': focusSearch,
      f: press(TOOL_IDS.filter),
      c: press(TOOL_IDS.columns),
      s: switchSnapshot,
      r: switchRequest,
    },
    // A second Ctrl F is the browser's own search.
    isTable(shown) && !isFinding ? { f: () => setFinding(true) } : {},
  )
  useActions([
    { name: 'Add a filter', run: press(TOOL_IDS.filter) },
    { name: 'Choose columns', run: press(TOOL_IDS.columns) },
    { name: 'Export all matches', run: press(TOOL_IDS.export) },
    { name: view.isSnapshot ? 'Show the latest' : 'Take a snapshot', run: switchSnapshot },
    { name: isRequestShown ? 'Hide the request' : 'Show the request', run: switchRequest },
    { name: 'Find in the rows that were read', run: () => setFinding(true) },
    { name: 'Read the table again', run: shown.showChanges },
  ])
}

/** True if the rows are shown: types without positions have no map. */
function isTable({ view, of }: ShownObjects): boolean {
  const isMap = view.layout === 'map' && placeProperty(of.objectType) !== undefined
  return view.layout !== 'charts' && !isMap
}

/** The values of the properties, and the table, the charts or the map beside them. */
function ObjectsLayout() {
  const shown = useObjects()
  const { of, counted, view, setView, canCount, walk, firstRows } = shown
  const lost = lostFilters(view, of)
  if (lost.length > 0) {
    return (
      <section className="grid flex-1 content-start gap-3 p-6" aria-label="No objects">
        <p>No objects are shown, because a filter of this view cannot be applied.</p>
        <LostNote lost={lost} onChange={setView} />
      </section>
    )
  }
  return (
    <>
      <Values className="w-55 flex-none p-2 border-r border-r-line bg-panel max-[900px]:hidden" />
      {isTable(shown) ? (
        <ObjectsTable />
      ) : view.isSnapshot && counted.version === undefined ? (
        <div className="relative flex flex-1 flex-col min-w-0 min-h-0">
          {walk.state.error === undefined && (
            <p className="late py-12 px-6 text-muted">Taking a snapshot…</p>
          )}
          <WalkNotice />
        </div>
      ) : view.layout === 'map' ? (
        <MapView of={counted} setView={setView} canCount={canCount} />
      ) : (
        <Charts of={counted} setView={setView} canCount={canCount} rows={firstRows} />
      )}
    </>
  )
}

/** The objects at a link of an object, as a table that can be filtered further. */
export function LinkedScreen() {
  return (
    <DefinitionScreen>
      {(address) => (
        <LinkAt address={address}>
          {(link) => (
            <LinkedObjects
              key={`${address.objectType.rid} ${address.key} ${link.apiName}`}
              {...{ address, link }}
            />
          )}
        </LinkAt>
      )}
    </DefinitionScreen>
  )
}

function LinkedObjects(props: { readonly address: ObjectAddress; readonly link: LinkSide }) {
  const { address, link } = props
  const { service } = useSession()
  const [view] = useView()
  const navigate = useNavigate()
  const { ontology, objectType, key } = address
  const { data, error } = useQuery(objectQuery(service, address))
  const target = findType(ontology, link.target)
  const trail = useMemo(() => {
    const step = { type: objectType.apiName, key, link: link.apiName, list: '' }
    return [...readTrail(view.trail), step]
  }, [view.trail, objectType, key, link])
  const linked = useMemo(() => {
    const leave = (left: ViewState) => {
      const path = screenPath(ontology.apiName, link.target)
      void navigate(toLink({ path, search: viewText({ ...left, trail: [] }) }))
    }
    return data && target && { filter: linkFilter(link, data.record, target), trail, leave }
  }, [data, link, target, trail, navigate, ontology])
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
          trail={trail}
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
