/**
 * Charts as files. A picture is painted from the parts of the chart itself: as an image of its SVG, it
 * would need a content security policy that lets images come from elsewhere.
 */
import { csvLine } from '../../formats/csv/write-csv.ts'
import { ALL } from './axis.ts'
import type { DrawnChart } from './drawn-chart.ts'

/** Returns the numbers of a chart, with every digit. */
export function chartCsv({ rows, columns, axisName, title, valueAt }: DrawnChart): string {
  const names = columns.map(({ label, place }) => (place === ALL ? title : label))
  const textOf = (row: number, column: number) => {
    const value = valueAt(row, column)
    return value === undefined ? undefined : String(value)
  }
  const lines = rows.map(({ label, place }) => [
    label,
    ...columns.map((column) => textOf(place, column.place)),
  ])
  return [[axisName, ...names], ...lines].map((cells) => `${csvLine(cells)}\n`).join('')
}

const NAMESPACE = 'http://www.w3.org/2000/svg'

/** The styles that charts use, which become attributes of their elements. */
const STYLES = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'opacity',
  'font-family',
  'font-size',
  'font-weight',
  'text-anchor',
] as const

const MARGIN = 16
const TITLE_HEIGHT = 28
const LEGEND_HEIGHT = 22
const CHARACTER = 7

export interface LegendEntry {
  readonly label: string
  /** The element on the screen that shows the colour. */
  readonly swatch: Element
}

/** Returns a chart that looks the same without the style sheet of the page, with its title and legend. */
export function standaloneSvg(
  svg: SVGSVGElement,
  title: string,
  legend: readonly LegendEntry[],
): SVGSVGElement {
  const copy = svg.cloneNode(true) as SVGSVGElement
  const copies = [copy, ...copy.querySelectorAll<SVGElement>('*')]
  for (const [index, original] of [svg, ...svg.querySelectorAll<SVGElement>('*')].entries()) {
    const element = copies[index]
    const style = getComputedStyle(original)
    for (const name of STYLES) element?.setAttribute(name, style.getPropertyValue(name))
    for (const { name } of [...(element?.attributes ?? [])]) {
      if (/^(?:class|role|tabindex|aria-.*|data-.*)$/.test(name)) element?.removeAttribute(name)
    }
  }
  const { width, height } = svg.getBoundingClientRect()
  const { color, fontFamily } = getComputedStyle(svg)
  const text = { 'font-family': fontFamily, fill: color }
  const head = [
    part('text', { ...text, x: 0, y: 16, 'font-size': '15px', 'font-weight': 600 }, title),
  ]
  let x = 0
  for (const { label, swatch } of legend) {
    const { backgroundColor: fill, opacity } = getComputedStyle(swatch)
    head.push(part('rect', { x, y: TITLE_HEIGHT, width: 10, height: 10, fill, opacity }))
    head.push(part('text', { ...text, x: x + 16, y: TITLE_HEIGHT + 9, 'font-size': '12px' }, label))
    x += 40 + label.length * CHARACTER
  }
  const top = MARGIN + TITLE_HEIGHT + (legend.length === 0 ? 0 : LEGEND_HEIGHT)
  const size = { width: Math.max(width, x) + 2 * MARGIN, height: top + height + MARGIN }
  const whole = part('svg', { xmlns: NAMESPACE, ...size }) as SVGSVGElement
  const headGroup = part('g', { transform: `translate(${MARGIN} ${MARGIN})` })
  headGroup.append(...head)
  const body = part('g', { transform: `translate(${MARGIN} ${top})` })
  body.append(...copy.children)
  whole.append(part('rect', { ...size, fill: backgroundOf(svg) }), headGroup, body)
  return whole
}

function part(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  text = '',
): SVGElement {
  const element = document.createElementNS(NAMESPACE, name) as SVGElement
  for (const [key, value] of Object.entries(attributes)) {
    if (key !== 'xmlns') element.setAttribute(key, String(value))
  }
  element.textContent = text
  return element
}

/** Returns the colour behind an element. */
function backgroundOf(element: Element): string {
  const colour = getComputedStyle(element).backgroundColor
  const isClear = colour === 'transparent' || /, 0\)$/.test(colour)
  return isClear && element.parentElement ? backgroundOf(element.parentElement) : colour
}

export function svgFile(svg: SVGSVGElement): Blob {
  return new Blob([new XMLSerializer().serializeToString(svg)], { type: 'image/svg+xml' })
}

/** Pixels of a picture for each pixel of the screen. */
const SCALE = 2

/** Paints a chart that has all its styles as attributes. */
export async function pngFile(svg: SVGSVGElement): Promise<Blob> {
  const canvas = document.createElement('canvas')
  canvas.width = Math.ceil(SCALE * Number(svg.getAttribute('width')))
  canvas.height = Math.ceil(SCALE * Number(svg.getAttribute('height')))
  const context = canvas.getContext('2d')
  if (context === null) throw new Error('This browser cannot paint pictures.')
  context.scale(SCALE, SCALE)
  paint(context, svg)
  const { promise, resolve } = Promise.withResolvers<Blob | null>()
  canvas.toBlob(resolve, 'image/png')
  const blob = await promise
  if (blob === null) throw new Error('The picture is too large for this browser.')
  return blob
}

const ALIGN: Readonly<Record<string, CanvasTextAlign>> = {
  start: 'left',
  middle: 'center',
  end: 'right',
}

function paint(context: CanvasRenderingContext2D, element: Element): void {
  const text = (name: string, otherwise: string) => element.getAttribute(name) ?? otherwise
  const number = (name: string, otherwise = 0) =>
    Number.parseFloat(element.getAttribute(name) ?? String(otherwise))
  context.save()
  const [, x = 0, y = 0] = /translate\(([-\d.]+) ([-\d.]+)\)/.exec(text('transform', '')) ?? []
  context.translate(Number(x), Number(y))
  if (element.tagName === 'text') {
    context.globalAlpha = number('opacity', 1)
    context.fillStyle = text('fill', 'black')
    context.font = `${text('font-weight', '400')} ${text('font-size', '12px')} ${text('font-family', 'sans-serif')}`
    context.textAlign = ALIGN[text('text-anchor', 'start')] ?? 'left'
    context.fillText(element.textContent ?? '', number('x'), number('y'))
  } else if (element.tagName !== 'svg' && element.tagName !== 'g') {
    const path = outlineOf(element.tagName, text, number)
    context.globalAlpha = number('opacity', 1) * number('fill-opacity', 1)
    context.fillStyle = text('fill', 'none')
    if (text('fill', 'none') !== 'none') context.fill(path)
    context.globalAlpha = number('opacity', 1)
    context.strokeStyle = text('stroke', 'none')
    context.lineWidth = number('stroke-width', 1)
    const dashes = text('stroke-dasharray', '').split(/[ ,]+/).map(Number.parseFloat)
    context.setLineDash(dashes.filter(Number.isFinite))
    if (text('stroke', 'none') !== 'none') context.stroke(path)
  }
  if (element.tagName !== 'text') for (const child of element.children) paint(context, child)
  context.restore()
}

function outlineOf(
  tag: string,
  text: (name: string, otherwise: string) => string,
  number: (name: string) => number,
): Path2D {
  if (tag === 'path') return new Path2D(text('d', ''))
  const path = new Path2D()
  if (tag === 'line') {
    path.moveTo(number('x1'), number('y1'))
    path.lineTo(number('x2'), number('y2'))
  } else if (tag === 'circle') path.arc(number('cx'), number('cy'), number('r'), 0, 2 * Math.PI)
  else path.roundRect(number('x'), number('y'), number('width'), number('height'), number('rx'))
  return path
}

/** Saves a file with the given content. */
export function saveFile(name: string, content: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  // The browser reads the file after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS)
}

const KEPT_MS = 60_000
