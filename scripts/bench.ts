import { readCommandLine } from './bench/command-line.ts'
import { type BenchReport, writeDocument } from './bench/document.ts'
import { describeMachine } from './bench/machine.ts'
import { describeMarks, summariseMarks } from './bench/mark-summary.ts'
import { measureStore, type ReportListener, type StoreReport } from './bench/measure-store.ts'
import { type BenchOptions, HELP, readOptions } from './bench/options.ts'
import type { PeerReport } from './bench/peer-report.ts'
import { clearProgress } from './bench/progress.ts'
import { peersTable, phaseTables, readersTable } from './bench/report-tables.ts'
import { type Table, toText } from './bench/table.ts'

/** Measures what a page costs: by depth, as of a snapshot, and beside the least it could cost. */

/** 0 when every mark was met or nothing is judged, 1 when one was missed, 2 when the command line is wrong. */
async function main(words: readonly string[]): Promise<0 | 1 | 2> {
  const options = readCommandLine('bench', () => readOptions(words))
  if (options === undefined) return 2
  if (options === 'help') {
    console.log(HELP)
    return 0
  }
  const report = await bench(options)
  if (options.writes) writeDocument(report)
  if (!options.judges) {
    print('\nThe rounds of a quick run are too short to judge by.')
    return 0
  }
  const summary = summariseMarks(report.stores)
  print(`\n${describeMarks(summary)}`)
  return summary.missed.length === 0 ? 0 : 1
}

async function bench(options: BenchOptions): Promise<BenchReport> {
  const machine = describeMachine()
  print(machine)
  const stores: StoreReport[] = []
  for (const store of options.stores) {
    print(`\n# ${store}`)
    stores.push(await measureStore(store, options, LISTENER))
  }
  return { machine, options, stores, peers: options.peers ? await benchPeers(options) : undefined }
}

async function benchPeers(options: BenchOptions): Promise<PeerReport> {
  const { measurePeers } = await import('./bench/peers/measure-peers.ts')
  const report = await measurePeers(options)
  print('\n## Beside other services')
  printTable(peersTable(report))
  for (const note of report.notes) print(note)
  return report
}

const LISTENER: ReportListener = {
  onNote: print,
  onPhase(report) {
    print(`\n## ${report.title}`)
    phaseTables(report).forEach(printTable)
  },
  onReaders(report) {
    print('\n## Many readers')
    printTable(readersTable(report))
  },
}

function printTable(table: Table): void {
  print(`\n${toText(table)}`)
}

function print(text: string): void {
  clearProgress()
  console.log(text)
}

process.exitCode = await main(process.argv.slice(2))
