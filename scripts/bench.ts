/** Measures what requests, imports and changes cost; see the help. */
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import { answers } from './bench/answers.ts'
import { citus } from './bench/citus.ts'
import { explorer } from './bench/explorer.ts'
import { followers } from './bench/followers.ts'
import { growth } from './bench/growth.ts'
import { load } from './bench/load.ts'
import { observation } from './bench/observation.ts'
import { pages } from './bench/pages.ts'
import { questions } from './bench/questions.ts'
import { redefinition } from './bench/redefinition.ts'
import { screens } from './bench/screens.ts'
import { sync } from './bench/sync.ts'
import { transfer } from './bench/transfer.ts'
import { writes } from './bench/writes.ts'
import { runCommand } from './measure/command.ts'
import { markTable, toMarkdown } from './measure/report.ts'

const DOCUMENT = new URL('../docs/explanation/benchmarks.md', import.meta.url)

await runCommand({
  name: 'bench',
  about: `Measures what the service costs, and prints Markdown. A full run without --only also writes
docs/explanation/benchmarks.md, which explains the figures.`,
  parts: {
    pages,
    load,
    writes,
    transfer,
    sync,
    growth,
    redefinition,
    observation,
    explorer,
    answers,
    screens,
    questions,
    followers,
    citus,
  },
  usual: ['pages'],
  texts: {
    'against=PATH': 'pages, load, writes: another checkout, measured in the same rounds',
    writing: 'answers: also while objects are written',
    alone: 'answers: without other engines',
    building: 'answers: only what building columns costs others',
    'venv=FOLDER': 'answers: a Python environment that has the packages',
    'citus=URL': 'citus: a database on a coordinator',
    write: 'write docs/explanation/benchmarks.md after any run',
  },
  finish({ sections, marks, isFull, texts }) {
    if (!isFull && texts['write'] === undefined) return
    const table = [describeMachine(), toMarkdown(markTable(marks))]
    const measured = isFull ? ['## Marks', ...table, ...sections] : [...sections, ...table]
    const document = readFileSync(DOCUMENT, 'utf8').trimEnd()
    writeFileSync(DOCUMENT, `${replaceSections(document, measured.join('\n\n'))}\n`)
  },
})

/** Replaces the sections of a document that have the same heading as new ones, and adds the others. */
function replaceSections(document: string, measured: string): string {
  const sections = new Map<string, string>()
  for (const section of [document, measured].flatMap((text) => text.split(/\n+(?=## )/))) {
    sections.set(section.split('\n', 1)[0] ?? '', section)
  }
  return [...sections.values()].join('\n\n')
}

/** Returns what the figures depend on, and nothing that identifies the machine. */
function describeMachine(): string {
  const model = cpus()[0]?.model ?? 'unknown processor'
  const gigabytes = Math.round(totalmem() / 1024 ** 3)
  const average = (loadavg()[0] ?? 0).toFixed(1)
  return `Node ${process.versions.node} on ${cpus().length} × ${model}, ${gigabytes} GB, load average ${average}.`
}
