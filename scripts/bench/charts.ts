import { KINDS } from './listing-phase.ts'
import type { StoreReport } from './measure-store.ts'
import { PAGE_SIZES } from './options.ts'
import type { CaseReport } from './phase-report.ts'
import { QUESTIONS_TITLE } from './question-phase.ts'
import type { BarChart } from './svg-chart.ts'
import { count } from './table.ts'

/** Reports → charts. */

export interface NamedChart {
  /** Of its file, without the ending. */
  readonly name: string
  readonly chart: BarChart
}

export function chartsOf(reports: readonly StoreReport[]): readonly NamedChart[] {
  return [
    ...PAGE_SIZES.map((pageSize) => requestsChart(reports, pageSize)),
    ...reports.map(depthChart),
    questionsChart(reports),
  ]
}

type Wanted = Pick<CaseReport, 'kind' | 'place'>

function requestsChart(reports: readonly StoreReport[], pageSize: number): NamedChart {
  const wanted: readonly (Wanted & { readonly label: string })[] = [
    { kind: KINDS.ceiling, place: 'first', label: 'ceiling' },
    { kind: KINDS.hot, place: 'first', label: 'service, hot page' },
    { kind: KINDS.bare, place: 'spread', label: 'bare store' },
    { kind: KINDS.list, place: 'spread', label: 'service, cold pages' },
  ]
  return {
    name: `requests-${pageSize}`,
    chart: {
      title: `Requests per second, pages of ${count(pageSize)}`,
      unit: 'requests per second; more is better',
      series: reports.map(({ store }) => store),
      groups: wanted.map(({ kind, place, label }) => ({
        label,
        values: reports.map(
          (report) => findCase(report, { kind, place, pageSize })?.requestsPerSecond,
        ),
      })),
    },
  }
}

function depthChart(report: StoreReport): NamedChart {
  const kinds = [KINDS.bare, KINDS.list, KINDS.snapshot, KINDS.search, 'three properties']
  const groups = PAGE_SIZES.flatMap((pageSize) =>
    kinds.map((kind) => ({
      label: `${kind}, pages of ${count(pageSize)}`,
      values: (['near', 'deep'] as const).map(
        (place) => findCase(report, { kind, place, pageSize })?.p50Ms,
      ),
    })),
  )
  return {
    name: `depth-${report.store.toLowerCase()}`,
    chart: {
      title: `${report.store}: first pages beside deep ones`,
      unit: 'milliseconds until the last byte, median; less is better',
      series: ['first pages', 'deep pages, from 900 on where there are so many'],
      groups: groups.filter(({ values }) => values.every((value) => value !== undefined)),
    },
  }
}

function questionsChart(reports: readonly StoreReport[]): NamedChart {
  const cases = reports
    .flatMap(({ phases }) => phases.filter(({ title }) => title === QUESTIONS_TITLE))
    .flatMap((phase) => phase.cases)
    .filter(({ pageSize, place }) => pageSize <= 100 && place !== 'deep')
  const labels = new Map(cases.map((each) => [`${each.kind}, ${each.at}`, each]))
  return {
    name: 'questions',
    chart: {
      title: 'Questions, pages of 100',
      unit: 'milliseconds until the last byte, median; less is better',
      series: reports.map(({ store }) => store),
      groups: [...labels].map(([label, { kind, place, pageSize }]) => ({
        label,
        values: reports.map((report) => findCase(report, { kind, place, pageSize })?.p50Ms),
      })),
    },
  }
}

function findCase(
  { phases }: StoreReport,
  { kind, place, pageSize }: Pick<CaseReport, 'kind' | 'place' | 'pageSize'>,
): CaseReport | undefined {
  return phases
    .flatMap(({ cases }) => cases)
    .find((each) => each.kind === kind && each.place === place && each.pageSize === pageSize)
}
