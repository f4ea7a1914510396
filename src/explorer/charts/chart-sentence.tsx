/** What a chart shows, as a sentence whose parts are menus. */
import type { ReactNode } from 'react'
import { isNumber } from '../api/ontology.ts'
import type { Options } from '../ui/fields.tsx'
import { isCode } from '../ui/format-value.ts'
import {
  type ChartState,
  DEFAULT_CHART,
  type Dimension,
  FORM_NAMES,
  type Form,
  MEASURE_NAMES,
  type Measure,
  type MeasureKind,
  measureName,
  readMeasureName,
  readStep,
  SORT_NAMES,
  type Sort,
  TIME_STEPS,
} from '../view/chart-state.ts'
import { nameOfPath, pathsOf } from '../view/paths.ts'
import { scalarOf, type TypeView } from '../view/type-view.ts'
import { kindOf } from './build-axis.ts'
import { ComparisonPick, Pick } from './comparison-pick.tsx'
import { formOf, formsOf } from './drawn-chart.ts'
import {
  isAdditive,
  isArray,
  isDimension,
  isPlace,
  isTime,
  measurable,
  percentileName,
} from './measures.ts'

export interface ChartSentenceProps {
  readonly of: TypeView
  readonly chart: ChartState
  /** The step of time that the values have decided, in words. */
  readonly step?: string | undefined
  readonly onChange: (chart: ChartState) => void
}

export function ChartSentence({ of, chart, step, onChange }: ChartSentenceProps) {
  const change = (part: Partial<ChartState>) => onChange({ ...chart, ...part })
  const [first, second] = chart.by
  const kind = first && kindOf(of, first)
  const hasValues = kind === 'values'
  const setBy = (...by: readonly (Dimension | undefined)[]) =>
    change({ by: by.filter((each) => each !== undefined) })
  return (
    <div className="flex flex-wrap items-center gap-x-1.5 gap-y-1 text-lg leading-8">
      <MeasurePicks of={of} measure={chart.measure} onChange={(measure) => change({ measure })} />
      <DimensionPicks
        of={of}
        word="by"
        label="By"
        none="a property…"
        value={first}
        step={step}
        other={second}
        onChange={(dimension) => setBy(dimension, dimension && second)}
      />
      {first !== undefined && kind !== 'places' && chart.against === undefined && (
        <DimensionPicks
          of={of}
          word="and"
          label="And by"
          none="nothing else"
          value={second}
          other={first}
          onChange={(dimension) => setBy(first, dimension)}
        />
      )}
      {hasValues && (
        <>
          <span className="text-muted">– top</span>
          <Pick
            label="Values shown"
            value={String(chart.top)}
            options={TOPS.map((top) => [top, top])}
            onChange={(top) => change({ top: Number(top) })}
          />
          <Pick
            label="Order"
            value={chart.sort}
            options={Object.entries(SORT_NAMES)}
            onChange={(sort) => change({ sort: sort as Sort })}
          />
        </>
      )}
      {first !== undefined && <FormPicks of={of} chart={chart} change={change} />}
      {kind !== 'places' && <ComparisonPick of={of} chart={chart} onChange={onChange} />}
    </div>
  )
}

interface FormPicksProps extends Pick<ChartSentenceProps, 'of' | 'chart'> {
  readonly change: (part: Partial<ChartState>) => void
}

function FormPicks({ of, chart, change }: FormPicksProps) {
  const form = formOf(of, chart)
  return (
    <>
      <span className="text-muted">as</span>
      <Pick
        label="Form"
        value={form}
        options={formsOf(of, chart).map((each) => [each, FORM_NAMES[each]])}
        onChange={(chosen) => change({ form: chosen as Form })}
      />
      {isAdditive(chart.measure) && form !== 'scatter' && (
        <>
          <span className="text-muted">in</span>
          <Pick
            label="Amounts or shares"
            value={chart.isShare ? 'share' : 'amount'}
            options={SHARES}
            onChange={(value) => change({ isShare: value === 'share' })}
          />
        </>
      )}
    </>
  )
}

const TOPS = ['3', '5', '10', '20', '50', '100']
const SHARES: Options = [
  ['amount', 'amounts'],
  ['share', 'shares'],
]

const PERCENTS = [1, 5, 10, 25, 75, 90, 95, 99]

interface MeasurePicksProps {
  readonly of: TypeView
  readonly measure: Measure
  readonly onChange: (measure: Measure) => void
}

function MeasurePicks({ of, measure, onChange }: MeasurePicksProps) {
  const { objectType } = of
  const kinds = (Object.keys(MEASURE_NAMES) as MeasureKind[]).filter(
    (kind) => kind === 'count' || measurable(objectType, kind).length > 0,
  )
  const options = kinds.flatMap((kind): Options => {
    if (kind !== 'percentile') return [[kind, MEASURE_NAMES[kind]]]
    return PERCENTS.map((percent) => [`p${percent}`, percentileName(percent)])
  })
  const choose = (value: string) => {
    const { kind, percent } = readMeasureName(value) ?? DEFAULT_CHART.measure
    if (kind === 'count') return onChange(DEFAULT_CHART.measure)
    const paths = measurable(objectType, kind)
    const path =
      paths.find((each) => each === measure.of) ??
      paths.find((each) => !isCode(of, each)) ??
      paths.find((each) => each !== objectType.primaryKey) ??
      paths[0]
    return onChange({ kind, of: path, percent })
  }
  const { kind, of: path } = measure
  return (
    <>
      <Pick
        label="Measure"
        value={measureName(measure)}
        unlisted={
          kind === 'percentile' ? percentileName(measure.percent ?? 50) : MEASURE_NAMES[kind]
        }
        options={options}
        onChange={choose}
      />
      {kind !== 'count' && path !== undefined && (
        <>
          <span className="text-muted">of</span>
          <Pick
            label="Measured property"
            value={path}
            unlisted={nameOfPath(objectType, path)}
            options={measurable(objectType, kind).map((each) => [
              each,
              nameOfPath(objectType, each),
            ])}
            onChange={(value) => onChange({ ...measure, of: value })}
          />
        </>
      )}
    </>
  )
}

interface DimensionPicksProps {
  readonly of: TypeView
  readonly word: string
  readonly label: string
  /** The name of no dimension. */
  readonly none: string
  readonly value: Dimension | undefined
  readonly step?: string | undefined
  readonly other: Dimension | undefined
  readonly onChange: (dimension: Dimension | undefined) => void
}

function DimensionPicks(props: DimensionPicksProps): ReactNode {
  const { of, word, label, none, value, other, onChange } = props
  const { objectType } = of
  const paths = pathsOf(objectType).filter(
    (path) =>
      isDimension(objectType, path) &&
      path !== other?.path &&
      (word === 'by' || !isPlace(objectType, path)),
  )
  const steps = value === undefined ? [] : stepsOf(of, value, props.step)
  return (
    <>
      <span className="text-muted">{word}</span>
      <Pick
        label={label}
        value={value?.path ?? ''}
        unlisted={value && nameOfPath(objectType, value.path)}
        options={[
          ['', none],
          ...paths.map((path) => [path, nameOfPath(objectType, path)] as const),
        ]}
        onChange={(path) => onChange(path === '' ? undefined : { path, step: undefined })}
      />
      {steps.length > 0 && value !== undefined && (
        <Pick
          label={`${label}: steps`}
          value={String(value.step ?? '')}
          options={steps}
          onChange={(step) => onChange({ ...value, step: readStep(step) })}
        />
      )}
    </>
  )
}

const WIDTHS = [0.1, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000, 10_000, 100_000, 1_000_000]

/** Returns the ways to cut a dimension into groups; none if there is only one. */
function stepsOf({ objectType }: TypeView, { path, step }: Dimension, decided?: string): Options {
  const type = scalarOf(objectType, path)
  if (isArray(objectType, path) || isPlace(objectType, path)) return []
  if (isTime(type)) {
    const usable = TIME_STEPS.filter((each) => type !== 'date' || !/hour|minute/.test(each))
    return [
      ['', decided === undefined ? 'over time' : `over time, ${decided}`],
      ...usable.map((each) => [each, `by ${each}`] as const),
      ['value', 'each value'],
    ]
  }
  if (!isNumber(type)) return []
  const widths = typeof step === 'number' && !WIDTHS.includes(step) ? [step, ...WIDTHS] : WIDTHS
  return [
    ['', 'in ranges'],
    ['value', 'each value'],
    ...widths.map((width) => [String(width), `in steps of ${width.toLocaleString('en')}`] as const),
  ]
}
