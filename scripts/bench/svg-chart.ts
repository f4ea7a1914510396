/** Draws horizontal bars as an SVG that reads well on light and on dark pages. */

export interface BarChart {
  readonly title: string
  /** What the lengths of the bars are. */
  readonly unit: string
  /** The bars of a group, in this order. */
  readonly series: readonly string[]
  readonly groups: readonly BarGroup[]
}

export interface BarGroup {
  readonly label: string
  /** One for each series; none where there is nothing to show. */
  readonly values: readonly (number | undefined)[]
}

const WIDTH = 860
const LABEL_WIDTH = 250
/** Room for the number behind the longest bar. */
const VALUE_WIDTH = 80
const BAR_HEIGHT = 15
const GROUP_GAP = 12
const TOP = 74
const BOTTOM = 46
const PLOT_WIDTH = WIDTH - LABEL_WIDTH - VALUE_WIDTH
/** Gaps between the lines of the scale, at least. */
const TICKS = 4

/** Mid-tones that are seen on both backgrounds, also by people who see few colours. */
const COLOURS = ['#3b82c4', '#d9822b', '#6a9f58'] as const

const STYLE = `
  .back { fill: #ffffff; stroke: #d0d7de }
  text { fill: #24292f; font: 13px system-ui, sans-serif }
  .title { font-size: 16px; font-weight: 600 }
  .faint { fill: #57606a; font-size: 12px }
  .line { stroke: #d0d7de }
  @media (prefers-color-scheme: dark) {
    .back { fill: #161b22; stroke: #30363d }
    text { fill: #e6edf3 }
    .faint { fill: #9198a1 }
    .line { stroke: #30363d }
  }`

export function drawBarChart({ title, unit, series, groups }: BarChart): string {
  const groupHeight = series.length * BAR_HEIGHT + GROUP_GAP
  const plotBottom = TOP + groups.length * groupHeight
  const height = plotBottom + BOTTOM
  const largest = Math.max(0, ...groups.flatMap(({ values }) => values.map((value) => value ?? 0)))
  const step = roundStep(largest / TICKS)
  const end = Math.max(step, Math.ceil(largest / step) * step)
  const x = (value: number) => LABEL_WIDTH + (value / end) * PLOT_WIDTH
  const ticks = Array.from({ length: Math.round(end / step) + 1 }, (_, index) => index * step)

  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="title desc">`,
    `<title id="title">${escaped(title)}</title>`,
    `<desc id="desc">${escaped(describe(groups, series, unit))}</desc>`,
    `<style>${STYLE}\n</style>`,
    `<rect class="back" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="6"/>`,
    `<text class="title" x="20" y="28">${escaped(title)}</text>`,
    ...series.map((name, index) => legend(name, index)),
    ...ticks.map((tick) => scaleLine(x(tick), plotBottom, numberText(tick))),
    `<text class="faint" x="${LABEL_WIDTH + PLOT_WIDTH / 2}" y="${height - 10}" text-anchor="middle">${escaped(unit)}</text>`,
    ...groups.map((group, index) => bars(group, TOP + index * groupHeight, x)),
    '</svg>',
    '',
  ].join('\n')
}

function legend(name: string, index: number): string {
  const left = LABEL_WIDTH + index * 190
  return `<rect x="${left}" y="42" width="12" height="12" fill="${colour(index)}"/><text x="${left + 18}" y="53">${escaped(name)}</text>`
}

function scaleLine(x: number, bottom: number, text: string): string {
  const at = x.toFixed(1)
  return `<line class="line" x1="${at}" x2="${at}" y1="${TOP - 8}" y2="${bottom}"/><text class="faint" x="${at}" y="${bottom + 16}" text-anchor="middle">${text}</text>`
}

function bars({ label, values }: BarGroup, top: number, x: (value: number) => number): string {
  const middle = top + (values.length * BAR_HEIGHT) / 2 + 4
  const drawn = values.flatMap((value, index) => {
    if (value === undefined) return []
    const y = top + index * BAR_HEIGHT
    const width = (x(value) - LABEL_WIDTH).toFixed(1)
    return [
      `<rect x="${LABEL_WIDTH}" y="${y}" width="${width}" height="${BAR_HEIGHT - 2}" fill="${colour(index)}"/>`,
      `<text class="faint" x="${(x(value) + 5).toFixed(1)}" y="${y + 11}">${numberText(value)}</text>`,
    ]
  })
  const name = `<text x="${LABEL_WIDTH - 10}" y="${middle}" text-anchor="end">${escaped(label)}</text>`
  return [name, ...drawn].join('\n')
}

function describe(groups: readonly BarGroup[], series: readonly string[], unit: string): string {
  const parts = groups.map(({ label, values }) => {
    const told = values.flatMap((value, index) =>
      value === undefined ? [] : [`${series[index]} ${numberText(value)}`],
    )
    return `${label}: ${told.join(', ')}`
  })
  return `Bars in ${unit}. ${parts.join('; ')}.`
}

/** 1, 2 or 5 with zeros, not below the given number. */
function roundStep(least: number): number {
  if (least <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(least))
  return (([1, 2, 5, 10] as const).find((step) => step * power >= least) ?? 10) * power
}

function numberText(number: number): string {
  return number.toLocaleString('en', { maximumSignificantDigits: 3 })
}

function colour(index: number): string {
  return COLOURS[index % COLOURS.length] ?? COLOURS[0]
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
