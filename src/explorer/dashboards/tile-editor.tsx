/** Arranges one tile of a dashboard, with keys as well as with a pointer. */
import { useId } from 'react'
import { moveTile, TILE_WIDTHS, type Tile, type TileWidth } from '../share/dashboard-tiles.ts'
import { IconButton } from '../ui/controls.tsx'
import { SelectField, TextField } from '../ui/fields.tsx'

export interface TileEditorProps {
  readonly tiles: readonly Tile[]
  readonly index: number
  readonly onChange: (tiles: readonly Tile[]) => void
}

const WIDTHS = Object.entries(TILE_WIDTHS)

export function TileEditor({ tiles, index, onChange }: TileEditorProps) {
  const tile = tiles[index]
  const label = useId()
  if (tile === undefined) return null
  const replace = (change: Partial<Tile>) => onChange(tiles.with(index, { ...tile, ...change }))
  return (
    <fieldset className="flex flex-wrap items-end gap-2 m-0 p-0 border-0" aria-labelledby={label}>
      <legend id={label} className="sr-only">
        Tile {index + 1} of {tiles.length}
      </legend>
      <div className="flex-1 min-w-20">
        <TextField
          label="Title"
          value={tile.title ?? ''}
          maxLength={200}
          onChange={(title) => replace({ title })}
        />
      </div>
      <SelectField
        label="Width"
        value={String(tile.width)}
        options={WIDTHS}
        onChange={(width) => replace({ width: Number(width) as TileWidth })}
      />
      <IconButton
        icon="up"
        label="Move before"
        disabled={index === 0}
        onClick={() => onChange(moveTile(tiles, index, index - 1))}
      />
      <IconButton
        icon="down"
        label="Move after"
        disabled={index === tiles.length - 1}
        onClick={() => onChange(moveTile(tiles, index, index + 1))}
      />
      <IconButton
        icon="close"
        label="Remove the tile"
        disabled={tiles.length === 1}
        onClick={() => onChange(tiles.toSpliced(index, 1))}
      />
    </fieldset>
  )
}
