/** The table of a view with what belongs to it: find bar and notices. */
import { useMemo } from 'react'
import { countOf } from '../../contract/count-of.ts'
import { useNumberStyles } from '../queries/use-number-styles.ts'
import { columnsOf, useKeyLength, useWidths } from './columns.ts'
import { FindBar } from './find-bar.tsx'
import { Grid } from './grid.tsx'
import { useObjects } from './use-objects.ts'
import { WalkNotice } from './walk-notice.tsx'

/** Rows whose texts decide how wide columns are. */
const SAMPLE = 40

export function ObjectsTable() {
  const { of, walk, isFinding } = useObjects()
  const { ontology, objectType, view } = of
  const [widths, setWidth] = useWidths(objectType.rid)
  const { walk: current, state, isStale } = walk
  const hasRows = state.rowCount > 0
  const sample = useMemo(
    () => (hasRows && !isStale ? current.recordsOf(0).slice(0, SAMPLE) : []),
    [current, hasRows, isStale],
  )
  const styleOf = useNumberStyles(of, { canRead: hasRows })
  const keyLength = useKeyLength(current, state.pages.length)
  const columns = useMemo(
    () => columnsOf(ontology, objectType, view.columns, { widths, sample, keyLength, styleOf }),
    [ontology, objectType, view.columns, widths, sample, keyLength, styleOf],
  )
  return (
    <div className="relative flex flex-1 flex-col min-w-0 min-h-0">
      {isFinding && <FindBar columns={columns} />}
      <Grid columns={columns} onWidth={setWidth} />
      <p className="sr-only" role="status">
        {state.isLoading ? 'Loading' : `${countOf(state.rowCount, 'row')} loaded`}
      </p>
      <WalkNotice />
    </div>
  )
}
