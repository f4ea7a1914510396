/**
 * A chart: a measure by one or two dimensions. Its text in the address is the dimensions, then what
 * differs from the default: `origin,departure:month~avg:delay~top:20~as:line`.
 */

/** What a chart computes, with its names. */
export const MEASURE_NAMES = {
  count: 'Count',
  sum: 'Sum',
  avg: 'Average',
  min: 'Minimum',
  median: 'Median',
  max: 'Maximum',
  percentile: 'Percentile',
  distinct: 'Distinct values',
} as const
export type MeasureKind = keyof typeof MEASURE_NAMES

export interface Measure {
  readonly kind: MeasureKind
  /** The property, or the field of a struct: `size/width`; undefined for a count of objects. */
  readonly of: string | undefined
  /** Of a percentile: 1 to 99. */
  readonly percent: number | undefined
}

/** Steps of time, from the longest. */
export const TIME_STEPS = ['year', 'quarter', 'month', 'week', 'day', 'hour', 'minute'] as const
export type TimeStep = (typeof TIME_STEPS)[number]

export interface Dimension {
  /** The property, or the field of a struct. */
  readonly path: string
  /** Each value, a step of time, or the width of a range; undefined lets the values decide. */
  readonly step: 'value' | TimeStep | number | undefined
}

export const FORM_NAMES = {
  bars: 'bars',
  line: 'lines',
  heat: 'heat map',
  map: 'map',
  pivot: 'table',
  scatter: 'scatter plot',
} as const
export type Form = keyof typeof FORM_NAMES

/** Which values come first, and stay if there are more than the chart shows. */
export const SORT_NAMES = {
  highest: 'highest first',
  lowest: 'lowest first',
  name: 'by name',
} as const
export type Sort = keyof typeof SORT_NAMES

/** The objects that those of the view are compared with. */
export type Comparison =
  | { readonly kind: 'before' | 'year' | 'all' }
  /** A filter as the address has it; it takes the place of those on the same property. */
  | { readonly kind: 'filter'; readonly filter: string }

export interface ChartState {
  readonly measure: Measure
  /** None, one or two. */
  readonly by: readonly Dimension[]
  /** Undefined lets the dimensions decide. */
  readonly form: Form | undefined
  readonly sort: Sort
  /** Values that are shown one by one. */
  readonly top: number
  /** Parts of the whole rather than amounts. */
  readonly isShare: boolean
  readonly against: Comparison | undefined
  /** What could not be read, so that the chart shows nothing in place of something else. */
  readonly unread: readonly string[]
}

const MOST_TOP = 100

export const DEFAULT_CHART: ChartState = {
  measure: { kind: 'count', of: undefined, percent: undefined },
  by: [],
  form: undefined,
  sort: 'highest',
  top: 10,
  isShare: false,
  against: undefined,
  unread: [],
}

/** Stays as it is in an address, and occurs in no API name. */
const SEPARATOR = '~'

export function writeChart(chart: ChartState): string {
  const { measure, by, form, sort, top, isShare, against, unread } = chart
  const parts = [
    by.map(({ path, step }) => (step === undefined ? path : `${path}:${step}`)).join(),
    ...(measure.of === undefined ? [] : [`${measureName(measure)}:${measure.of}`]),
    ...(form === undefined ? [] : [`as:${form}`]),
    ...(sort === DEFAULT_CHART.sort ? [] : [`sort:${sort}`]),
    ...(top === DEFAULT_CHART.top ? [] : [`top:${top}`]),
    ...(isShare ? ['share'] : []),
    ...(against === undefined ? [] : [`vs:${writeComparison(against)}`]),
    ...unread,
  ]
  return parts
    .map((part) => part.replaceAll('%', '%25').replaceAll(SEPARATOR, '%7E'))
    .join(SEPARATOR)
}

/** Reads a chart from its text. What cannot be read is ignored where the chart shows the same without it. */
export function readChart(text: string | null): ChartState | undefined {
  if (text === null) return undefined
  const [dimensions = '', ...options] = text
    .split(SEPARATOR)
    .map((part) => part.replaceAll('%7E', SEPARATOR).replaceAll('%25', '%'))
  const by = dimensions.split(',').flatMap(readDimension).slice(0, 2)
  return options.filter(Boolean).reduce(readOption, { ...DEFAULT_CHART, by })
}

function readOption(chart: ChartState, option: string): ChartState {
  const [name = '', ...rest] = option.split(':')
  const value = rest.join(':')
  switch (name) {
    case 'as':
      return { ...chart, form: nameIn(FORM_NAMES, value) ?? chart.form }
    case 'sort':
      return { ...chart, sort: nameIn(SORT_NAMES, value) ?? chart.sort }
    case 'top':
      return { ...chart, top: wholeNumber(value, MOST_TOP) ?? chart.top }
    case 'share':
      return { ...chart, isShare: true }
    case 'vs':
      return withRead(chart, 'against', readComparison(value), option)
    default:
      return withRead(chart, 'measure', readMeasure(name, value), option)
  }
}

function withRead<Part extends 'against' | 'measure'>(
  chart: ChartState,
  part: Part,
  value: ChartState[Part] | undefined,
  option: string,
): ChartState {
  if (value === undefined) return { ...chart, unread: [...chart.unread, option] }
  return { ...chart, [part]: value }
}

export function measureName({ kind, percent }: Measure): string {
  return kind === 'percentile' ? `p${percent}` : kind
}

/** Reads the name of a measure; undefined if there is none of this name. */
export function readMeasureName(name: string): Pick<Measure, 'kind' | 'percent'> | undefined {
  const percent = wholeNumber(/^p(\d+)$/.exec(name)?.[1] ?? '', 99)
  if (percent !== undefined) return { kind: 'percentile', percent }
  const kind = nameIn(MEASURE_NAMES, name)
  return kind === undefined || kind === 'percentile' ? undefined : { kind, percent }
}

function readMeasure(name: string, of: string): Measure | undefined {
  const measure = readMeasureName(name)
  return measure === undefined || measure.kind === 'count' || of === ''
    ? undefined
    : { ...measure, of }
}

function readDimension(text: string): readonly Dimension[] {
  const [path = '', step = ''] = text.split(':')
  if (path === '') return []
  return [{ path, step: readStep(step) }]
}

export function readStep(text: string): Dimension['step'] {
  const width = Number(text)
  if (text !== '' && width > 0 && Number.isFinite(width)) return width
  return text === 'value' ? text : TIME_STEPS.find((each) => each === text)
}

function writeComparison(against: Comparison): string {
  return against.kind === 'filter' ? `filter:${against.filter}` : against.kind
}

function readComparison(text: string): Comparison | undefined {
  const [kind, ...rest] = text.split(':')
  if (kind === 'before' || kind === 'year' || kind === 'all') return { kind }
  return kind === 'filter' ? { kind, filter: rest.join(':') } : undefined
}

function nameIn<Name extends string>(
  names: Readonly<Record<Name, string>>,
  text: string,
): Name | undefined {
  return Object.hasOwn(names, text) ? (text as Name) : undefined
}

function wholeNumber(text: string, most: number): number | undefined {
  const number = /^\d{1,4}$/.test(text) ? Number(text) : 0
  return number >= 1 && number <= most ? number : undefined
}
