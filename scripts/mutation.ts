/** Measures whether the tests notice changed code; see the help. */
import { relative } from 'node:path'
import { chosenParts, runScript, TEXT, wholeNumber } from './measure/command-line.ts'
import { toMarkdown } from './measure/table.ts'
import { GROUPS } from './mutation/groups.ts'
import { addUp, percentOf, runStryker, type Score } from './mutation/run-stryker.ts'

const NAMES = Object.keys(GROUPS)

/** The share of changes that the tests of each group must notice. */
const MIN_SCORE = 80

const HELP = `Usage: npm run mutation -- [options]

Changes the code in small ways (Stryker) and runs its tests on each change. Prints the changes that no
test noticed, the scores of files and groups, and fails when the tests of a group notice less than
${MIN_SCORE} % of the changes. Takes minutes for each group.

  --only GROUP      one group: ${NAMES.join(', ')}
  --files GLOBS     only these files of the group, comma separated; add the parts of a group up
                    before you compare them with the mark
  --workers N       processes that run tests (2)
  --help            this text`

const HEADER = ['', 'changes', 'noticed', 'score', 'not tried']

await runScript({
  name: 'mutation',
  help: HELP,
  options: { only: TEXT, files: TEXT, workers: TEXT },
  async run({ only, files, ...values }) {
    const chosenNames = chosenParts(only, NAMES)
    if (files !== undefined && only === undefined) {
      throw new Error('--files needs --only, which names the group of the files.')
    }
    const workers = wholeNumber('--workers', values.workers, { min: 1, usual: 2 })
    const ofFiles: string[][] = []
    const ofGroups: string[][] = []
    let passed = true
    for (const [key, group] of Object.entries(GROUPS)) {
      if (!chosenNames.includes(key)) continue
      const chosen = files === undefined ? group : { ...group, files: files.split(',') }
      const scores = await runStryker(chosen, workers)
      for (const [file, score] of scores) ofFiles.push(rowOf(relative('.', file), score))
      const total = addUp(scores.values())
      const isEnough = percentOf(total) >= MIN_SCORE
      ofGroups.push([...rowOf(group.name, total), isEnough ? `≥ ${MIN_SCORE} %` : 'missed'])
      passed = passed && isEnough
    }
    console.log(`\n${toMarkdown([HEADER.with(0, 'File'), ...ofFiles])}`)
    console.log(`\n${toMarkdown([[...HEADER.with(0, 'Group'), 'mark'], ...ofGroups])}`)
    return passed
  },
})

function rowOf(name: string, score: Score): string[] {
  const { noticed, missed, untried } = score
  const percent = `${percentOf(score).toFixed(1)} %`
  return [name, String(noticed + missed), String(noticed), percent, String(untried)]
}
