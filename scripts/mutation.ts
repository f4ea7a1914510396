/** Measures whether the tests notice changed code; see the help. */
import { relative } from 'node:path'
import { type Part, runCommand } from './measure/command.ts'
import { atLeast, toMarkdown } from './measure/report.ts'
import { GROUPS, type Group } from './mutation/groups.ts'
import { runStryker, type Score } from './mutation/run-stryker.ts'

/** The share of changes that the tests of each group must notice. */
const MIN_SCORE = 80

function partOf(group: Group): Part<{ readonly workers: number }> {
  return {
    about: `${group.files.join(', ')}`,
    full: { workers: 2 },
    least: { workers: 1 },
    stores: ['SQLite'],
    async run({ numbers, texts, print }) {
      const files = texts['files']?.split(',') ?? group.files
      const scores = await runStryker({ ...group, files }, numbers.workers)
      const total = { noticed: 0, missed: 0, untried: 0 }
      for (const { noticed, missed, untried } of scores.values()) {
        total.noticed += noticed
        total.missed += missed
        total.untried += untried
      }
      const rows = [...scores].map(([file, score]) => rowOf(relative('.', file), score))
      const header = ['File', 'changes', 'noticed', 'score', 'not tried']
      print(toMarkdown([header, ...rows, rowOf('all files', total)]))
      return [atLeast(MIN_SCORE, `${group.name}, percent noticed`, percentOf(total))]
    },
  }
}

function rowOf(name: string, score: Score): string[] {
  const { noticed, missed, untried } = score
  const percent = `${percentOf(score).toFixed(1)} %`
  return [name, String(noticed + missed), String(noticed), percent, String(untried)]
}

/** Returns the share of the changes that the tests notice, in percent. */
function percentOf({ noticed, missed }: Score): number {
  return noticed + missed === 0 ? 100 : (100 * noticed) / (noticed + missed)
}

await runCommand({
  name: 'mutation',
  about: `Changes the code in small ways (Stryker) and runs its tests on each change. Prints the changes that
no test noticed, and the scores. Takes a second for each change: up to half an hour for a group.`,
  parts: Object.fromEntries(Object.entries(GROUPS).map(([name, group]) => [name, partOf(group)])),
  texts: {
    'files=GLOBS': 'only these files of the groups, comma separated; judge the sum of the parts',
  },
})
