import { Button } from '../ui/button.tsx'
import { Segments } from '../ui/segments.tsx'
import { type Camera, type Point, zoomAt } from './camera.ts'
import styles from './map.module.css'
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
    <div className={styles.controls}>
      <Segments
        label="Dragging"
        options={DRAG_MODES}
        nameOf={(name) => MODE_NAMES[name]}
        value={mode}
        onChange={setMode}
      />
      <div className={styles.zoom}>
        <Button aria-label="Zoom in" onClick={() => zoom(ZOOM_STEP)}>
          +
        </Button>
        <Button aria-label="Zoom out" onClick={() => zoom(1 / ZOOM_STEP)}>
          −
        </Button>
      </div>
    </div>
  )
}
