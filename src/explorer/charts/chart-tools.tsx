/** Saves a chart as a file. */
import type { RefObject } from 'react'
import { Button, Icon, Mistake } from '../ui/controls.tsx'
import { Popup } from '../ui/dialog.tsx'
import { useTask } from '../ui/hooks.ts'
import type { DrawnChart } from './drawn-chart.ts'
import { chartCsv, pngFile, saveFile, standaloneSvg, svgFile } from './export-chart.ts'

export interface ChartToolsProps {
  readonly drawn: DrawnChart
  /** The element that the chart is in. */
  readonly frame: RefObject<HTMLElement | null>
}

export function ChartTools({ drawn, frame }: ChartToolsProps) {
  const { run, error } = useTask()
  const name = drawn.title.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-')
  const drawing = () => {
    const svg = frame.current?.querySelector<SVGSVGElement>('figure svg')
    if (!svg) throw new Error('The chart is not drawn yet.')
    const swatches = frame.current?.querySelectorAll('figure ul i') ?? []
    const legend = [...swatches].map((swatch) => {
      return { swatch, label: swatch.nextElementSibling?.textContent ?? '' }
    })
    return standaloneSvg(svg, drawn.title, legend)
  }
  const files: Readonly<Record<string, () => Promise<void>>> = {
    CSV: async () => saveFile(`${name}.csv`, new Blob([chartCsv(drawn)], { type: 'text/csv' })),
    // A table has no picture.
    ...(drawn.form !== 'pivot' && {
      PNG: async () => saveFile(`${name}.png`, await pngFile(drawing())),
      SVG: async () => saveFile(`${name}.svg`, svgFile(drawing())),
    }),
  }
  return (
    <Popup
      label={<Icon name="download" size={14} />}
      aria-label="Save the chart"
      panelLabel="Save the chart"
      kind="quiet"
    >
      {(close) => (
        <div className="grid gap-1 min-w-30">
          {Object.entries(files).map(([format, save]) => (
            <Button
              key={format}
              kind="quiet"
              className="justify-start"
              onClick={() =>
                void run(async () => {
                  await save()
                  close()
                })
              }
            >
              {format}
            </Button>
          ))}
          <Mistake>{error?.message}</Mistake>
        </div>
      )}
    </Popup>
  )
}
