/** What a tile of a dashboard shows: a chart, a map or a table. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { screenPath } from '../api/base-path.ts'
import { keyText, nameOf, nameOfProperty } from '../api/ontology.ts'
import { Chart } from '../charts/chart.tsx'
import { describeChart } from '../charts/drawn-chart.ts'
import { LostNote } from '../filters/lost-note.tsx'
import { readRecords } from '../queries/object-queries.ts'
import { useNumberStyles } from '../queries/use-number-styles.ts'
import { useSession } from '../session/session.tsx'
import type { Tile } from '../share/dashboard-tiles.ts'
import { columnsOf } from '../table/columns.ts'
import { ErrorNote } from '../ui/controls.tsx'
import { formatValue } from '../ui/format-value.ts'
import { lazyView } from '../ui/lazy-part.tsx'
import { conditionsOf } from '../view/compile-filters.ts'
import { lostParts } from '../view/lost-parts.ts'
import { toLink } from '../view/trail.ts'
import { isKnownOrder, placeProperty, replaceFilters, type TypeView } from '../view/type-view.ts'
import type { SetView } from '../view/use-view.ts'
import { type ViewState, viewText } from '../view/view-state.ts'

const MapView = lazyView('map', async () => (await import('../map/map-view.tsx')).MapView)

export interface TileViewProps {
  /** The objects of the dashboard, as the tile shows them. */
  readonly of: TypeView
  readonly canCount: boolean
  readonly setView: SetView
  /** Shows the tile with the names of now. */
  readonly onRepair: (change: Partial<ViewState>) => void
}

/** Returns the title of a tile: its own, or what it shows. */
export function titleOfTile({ title }: Tile, { objectType, view }: TypeView): string {
  if (title) return title
  if (view.layout === 'charts' && view.chart) return describeChart(objectType, view.chart)
  return nameOf(objectType)
}

export function TileView({ of, canCount, setView, onRepair }: TileViewProps) {
  const { layout, chart } = of.view
  const place = placeProperty(of.objectType)
  const lost = lostParts(of.view, of)
  if (layout === 'charts' && chart !== undefined) {
    return (
      <Chart
        of={of}
        chart={chart}
        canCount={canCount}
        onChange={(repaired) => onRepair({ chart: repaired })}
        onFilter={(filters, box = of.view.box) =>
          setView({ filters: replaceFilters(of.view, filters).filters, box })
        }
      />
    )
  }
  if (layout === 'map' && place !== undefined) {
    return (
      <>
        <LostNote lost={lost} onChange={onRepair} />
        <div className="flex h-75">
          <MapView of={of} setView={setView} canCount={canCount} />
        </div>
      </>
    )
  }
  // In another order, the first rows would be others than the title says.
  const hasOrder = of.view.order.every(({ property }) => isKnownOrder(of, property))
  return (
    <>
      <LostNote lost={lost} onChange={onRepair} />
      {hasOrder && <TableTile of={of} canCount={canCount} />}
    </>
  )
}

const SHOWN_ROWS = 10
const SHOWN_COLUMNS = 6

/** The first rows of a table; the rest is a click away. */
function TableTile({ of, canCount }: Pick<TileViewProps, 'of' | 'canCount'>) {
  const { service } = useSession()
  const { ontology, objectType, view, version } = of
  const styleOf = useNumberStyles(of, { canRead: canCount })
  const { filters, text, box, order } = view
  const { data, error } = useQuery({
    queryKey: ['tile rows', objectType.rid, version, JSON.stringify([filters, text, box, order])],
    queryFn: ({ signal }) => {
      const conditions = conditionsOf(view, of)
      return readRecords(service, of, { conditions, order }, { pageSize: SHOWN_ROWS, signal })
    },
    enabled: canCount,
    placeholderData: (last) => last,
  })
  if (error !== null) return <ErrorNote error={error} />
  const columns = columnsOf(ontology, objectType, view, { styleOf }).slice(0, SHOWN_COLUMNS)
  return (
    <div className="grid gap-2">
      <section
        className="overflow-x-auto"
        aria-label={`Rows of ${nameOf(objectType)}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keys must be able to scroll it
        tabIndex={0}
      >
        <table className="w-full border-collapse text-base">
          <thead>
            <tr>
              {columns.map(({ name, definition, isNumeric }) => (
                <th key={name} className={`label p-1.5 ${isNumeric ? 'text-right' : 'text-left'}`}>
                  {nameOfProperty(name, definition)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {data?.map((record) => (
              <tr key={keyText(record.key)} className="border-t border-t-line">
                {columns.map(({ name, definition, isNumeric, style }) => (
                  <td
                    key={name}
                    className={`p-1.5 max-w-60 truncate ${isNumeric ? 'text-right tabular-nums' : ''}`}
                  >
                    {name === objectType.primaryKey ? (
                      <Link
                        to={screenPath(ontology.apiName, objectType.apiName, keyText(record.key))}
                      >
                        {keyText(record.key)}
                      </Link>
                    ) : (
                      (formatValue(record.properties[name], definition, style) ?? '–')
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <Link
        {...toLink({
          path: screenPath(ontology.apiName, objectType.apiName),
          search: viewText(view),
        })}
        className="text-base"
      >
        All rows
      </Link>
    </div>
  )
}
