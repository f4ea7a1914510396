import { Button } from '../ui/button.tsx'
import { Segments } from '../ui/segments.tsx'
import { type Camera, type Point, zoomAt } from './camera.ts'
import { DRAG_MODES, type DragMode, ZOOM_STEP } from './use-map-input.ts'

const MODE_NAMES: Readonly<Record<DragMode, string>> = { box: 'Draw a box', move: 'Move' }

export interface MapControlsProps {
  readonly camera: Camera
  readonly size: Point
  readonly setCamera: (camera: Camera) => void
  readonly mode: DragMode
  readonly setMode: (mode: DragMode) => void
}

export function MapControls({ camera, size, setCamera, mode, setMode }: MapControlsProps) {
  const zoom = (factor: number) =>
    setCamera(zoomAt(camera, size, [size[0] / 2, size[1] / 2], factor))
  return (
    <div className="absolute right-3 top-3 grid gap-2 justify-items-end">
      <Segments
        label="Dragging"
        options={DRAG_MODES}
        nameOf={(name) => MODE_NAMES[name]}
        value={mode}
        onChange={setMode}
      />
      <div className="grid">
        <Button
          className="w-8 px-0 border-b-0 rounded-b-none"
          aria-label="Zoom in"
          onClick={() => zoom(ZOOM_STEP)}
        >
          +
        </Button>
        <Button
          className="w-8 px-0 rounded-t-none"
          aria-label="Zoom out"
          onClick={() => zoom(1 / ZOOM_STEP)}
        >
          −
        </Button>
      </div>
    </div>
  )
}
