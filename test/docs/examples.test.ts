/** Every example of the README and the documentation, run against the demo of a real service. */

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { REVISION_1_QUERIES } from '../../src/query/revision-1-query.ts'
import { REVISION_2_QUERIES } from '../../src/query/revision-2-query.ts'
import { DEMO_COUNTS } from '../../src/server/demo/open-demo.ts'
import { lineOf, type OqsProcess, startOqs } from '../support/oqs-process.ts'
import { askUrl } from '../support/service.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'
import { differenceOf } from './compare-output.ts'
import { preludeFor, readExamples, runExamples } from './page-examples.ts'

const README = 'README.md'
const PAGES = [README, ...globSync('docs/*.md').toSorted()].filter(
  (path) => readExamples(path).length > 0,
)

describe('the examples of', () => {
  let folder: TempFolder
  let oqs: OqsProcess
  let url: string
  let token: string
  let store: string

  beforeAll(async () => {
    folder = tempFolder()
    store = `sqlite:${join(folder.path, 'oqs.db')}`
    oqs = startOqs(['serve', '--demo'], { OQS_PORT: '0', OQS_STORE: store })
    url = await lineOf(oqs, 'listening on ')
    token = await lineOf(oqs, 'token ')
    // No example reads cities, which are loaded last.
    await untilLoaded('flight')
  })
  afterAll(async () => {
    await oqs[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  })

  async function untilLoaded(type: string): Promise<void> {
    const path = `${url}/api/v1/ontologies/aviation/objects/${type}?pageSize=1`
    for (;;) {
      const { body } = await askUrl(path, { token })
      if (Number(body.totalCount) === DEMO_COUNTS[type]) return
      await sleep(100)
    }
  }

  it.for(PAGES)('%s work, in one shell, and print what the page shows', async (path) => {
    using work = tempFolder()
    const prelude = preludeFor(readFileSync(README, 'utf8'), url, token)
    const examples = readExamples(path).filter(({ script }) => !script.includes('oqs_...'))
    const env = { OQS_STORE: store, HOME: work.path }
    const runs = await runExamples(path, examples, { folder: work.path, prelude, env })
    const differences = runs.flatMap(({ example, stdout }) => {
      const { line, output } = example
      const difference =
        output === undefined
          ? stdout.includes('"errorName"')
            ? `an error: ${stdout}`
            : undefined
          : differenceOf(output.text, stdout)
      return difference === undefined ? [] : [`${path}:${line}: ${difference}`]
    })
    expect(differences).toEqual([])
  })
})

describe('the documentation', () => {
  it('has an example of every query type, in both revisions', () => {
    const queries = readFileSync('docs/queries.md', 'utf8')
    const [, revision1 = '', revision2 = ''] = queries.split(/^## Search objects.*$/m)
    expect(typesIn(revision1)).toEqual(new Set(REVISION_1_QUERIES.types.keys()))
    expect(typesIn(revision2)).toEqual(new Set(REVISION_2_QUERIES.types.keys()))
  })
})

function typesIn(section: string): Set<string> {
  return new Set([...section.matchAll(/"query": \{"type": "(\w+)"/g)].map(([, type = '']) => type))
}
