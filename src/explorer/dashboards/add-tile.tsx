/** Adds a tile to a dashboard. */
import { useState } from 'react'
import { ChartSentence } from '../charts/chart-sentence.tsx'
import { type Tile, tileOfView } from '../share/dashboard-tiles.ts'
import { Button } from '../ui/controls.tsx'
import { Segments, submits } from '../ui/fields.tsx'
import { DEFAULT_CHART } from '../view/chart-state.ts'
import { placeProperty, type TypeView } from '../view/type-view.ts'
import { EMPTY_VIEW, type Layout } from '../view/view-state.ts'

interface AddTileProps {
  readonly of: TypeView
  readonly onAdd: (tile: Tile) => void
}

const FLAT = { charts: 'Chart', table: 'Table' } as Readonly<Record<Layout, string>>

export function AddTile({ of, onAdd }: AddTileProps) {
  const [layout, setLayout] = useState<Layout>('charts')
  const [chart, setChart] = useState(DEFAULT_CHART)
  const add = () => onAdd(tileOfView({ ...EMPTY_VIEW, layout, chart }))
  return (
    <form
      className="grid gap-3 w-80 max-w-[90vw] [&_fieldset]:justify-self-start"
      onSubmit={submits(add)}
    >
      <Segments
        label="What the tile shows"
        options={placeProperty(of.objectType) === undefined ? FLAT : { ...FLAT, map: 'Map' }}
        value={layout}
        onChange={setLayout}
      />
      {layout === 'charts' && <ChartSentence of={of} chart={chart} onChange={setChart} />}
      {layout === 'table' && <p className="label">The first rows, in the order of their keys.</p>}
      <p className="label">
        To add a view with an order, columns or colours, open it and choose Views.
      </p>
      <Button type="submit" kind="primary" className="justify-self-start">
        Add the tile
      </Button>
    </form>
  )
}
