import type { Mark } from './page-case.ts'
import type { PeerReport } from './peer-report.ts'
import type { CaseReport, PhaseReport, RatioReport } from './phase-report.ts'
import type { ReadersReport } from './readers.ts'
import { count, type Table, type TableRow } from './table.ts'

/** Reports → tables, the same for the console and for the document. */

export function phaseTables({ cases, ratios }: PhaseReport): readonly Table[] {
  const pageSizes = [...new Set(cases.map(({ pageSize }) => pageSize))].toSorted((a, b) => b - a)
  return pageSizes.flatMap((pageSize) => {
    const figures = cases.filter((each) => each.pageSize === pageSize)
    const compared = ratios.filter((each) => each.pageSize === pageSize)
    const title = pageSize === 1 ? 'Single objects' : `Pages of ${count(pageSize)}`
    return [
      {
        title,
        columns: ['kB', 'req/s', 'CPU µs', 'p50 ms', 'p99 ms'],
        rows: figures.map(caseRow),
      },
      {
        title: `Ratios, pages of ${count(pageSize)}`,
        columns: ['CPU', 'by round', 'p50', 'req/s', 'mark', ''],
        rows: compared.map(ratioRow),
      },
    ].filter(({ rows }) => rows.length > 0)
  })
}

export function readersTable(report: ReadersReport): Table {
  const { readers, seconds, pagesPerSecond, atMostMegabytes, met } = report
  return {
    title: 'Memory of the service',
    columns: ['seconds', 'pages/s', 'peak RSS MB', 'own MB', 'mark', ''],
    rows: [
      {
        name: `${readers} readers walk through all objects`,
        cells: [
          seconds.toFixed(1),
          count(pagesPerSecond),
          String(report.peakMegabytes ?? '-'),
          String(report.ownMegabytes ?? '-'),
          `own ≤ ${atMostMegabytes}`,
          verdict(met),
        ],
      },
    ],
  }
}

export function peersTable({ title, rows }: PeerReport): Table {
  return {
    title,
    columns: ['question', 'CPU ms / 1,000', 'req/s', 'p50 ms', 'p99 ms', '× service'],
    rows: rows.map((row) => ({
      name: row.name,
      cells: [
        row.question,
        row.cpuMsPer1000Objects.toFixed(2),
        count(row.requestsPerSecond),
        row.p50Ms.toFixed(2),
        row.p99Ms.toFixed(2),
        row.timesService.toFixed(2),
      ],
    })),
  }
}

function caseRow(report: CaseReport): TableRow {
  const { kind, at, pageBytes, requestsPerSecond, cpuMicros, p50Ms, p99Ms } = report
  return {
    name: `${kind}, ${at}`,
    cells: [
      (pageBytes / 1000).toFixed(1),
      count(requestsPerSecond),
      cpuMicros === undefined ? '-' : count(cpuMicros),
      p50Ms.toFixed(2),
      p99Ms.toFixed(2),
    ],
  }
}

function ratioRow({ name, values, quartiles, mark, met }: RatioReport): TableRow {
  return {
    name,
    cells: [
      values.CPU?.toFixed(2) ?? '-',
      quartiles?.map((ratio) => ratio.toFixed(2)).join('-') ?? '-',
      values.p50?.toFixed(2) ?? '-',
      values['req/s']?.toFixed(2) ?? '-',
      mark === undefined ? '' : describeMark(mark),
      mark === undefined ? '' : verdict(met),
    ],
  }
}

function describeMark({ measures, bound, ratio }: Mark): string {
  return `${measures.join(', ')} ${bound === 'most' ? '≤' : '≥'} ${ratio}`
}

function verdict(met: boolean): string {
  return met ? 'pass' : 'FAIL'
}
