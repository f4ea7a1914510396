/** Every example of the README and the documentation, run against the demo of a real service. */

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildProgram } from '../../src/cli/program.ts'
import { DEMO_COUNTS } from '../../src/server/demo/open-demo.ts'
import { logLinesOf, type OqsProcess, startOqs, waitForLine } from '../support/oqs-process.ts'
import { sendTo } from '../support/service.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'
import { differenceOf } from './compare-output.ts'
import { preludeFor, readExamples, runExamples } from './page-examples.ts'

const README = 'README.md'
/** A request in a table: its method, its path, and its body. */
const REQUEST = /`(GET|POST) (\/api\/[^ `]+)(?: (\{[^`]*\}))?`/g
const PAGES = [README, ...globSync('docs/**/*.md').toSorted()].filter(
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
    // Requests to the health checks are logged at this level only.
    const settings = {
      OQS_PORT: '0',
      OQS_STORE: store,
      OQS_LOG_LEVEL: 'debug',
      OQS_AUDIT: 'all',
    }
    {
      await using demo = startOqs(['serve', '--demo'], settings)
      url = await waitForLine(demo, 'listening on ')
      token = await waitForLine(demo, 'token ')
      await untilLoaded('flight')
      demo.child.kill('SIGTERM')
      expect(await demo.ended).toBe(0)
    }
    // No example reads cities, which are loaded last and take longer than all examples.
    oqs = startOqs(['serve'], settings)
    url = await waitForLine(oqs, 'listening on ')
  })
  afterAll(async () => {
    await oqs[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  })

  async function untilLoaded(type: string): Promise<void> {
    const path = `${url}/api/v1/ontologies/aviation/objects/${type}?pageSize=1`
    for (;;) {
      const { body } = await sendTo(path, { token })
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

  it.for(globSync('docs/explanation/coming-from/*.md'))(
    '%s: its requests succeed',
    async (path) => {
      const requests = [...readFileSync(path, 'utf8').matchAll(REQUEST)].filter(
        ([, , target = '']) => target.includes('/aviation/'),
      )
      expect(requests.length).toBeGreaterThan(3)
      for (const [, method = '', target = '', body] of requests) {
        const json = body === undefined ? {} : { json: JSON.parse(body) }
        const { status } = await sendTo(url + target, { token, method, ...json })
        expect([target, status]).toEqual([target, 200])
      }
    },
  )

  it('all pages together call every endpoint', async () => {
    const { body } = await sendTo(`${url}/openapi.json`, { token: null })
    const endpoints = Object.entries<object>(body.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const withoutExample = () => {
      const called = new Set(
        logLinesOf<RequestLine>(oqs, 'requestFinished').map(
          ({ method, route }) => `${method} ${route.replaceAll(/:(\w+)/g, '{$1}')}`,
        ),
      )
      return endpoints.filter((endpoint) => !called.has(endpoint))
    }
    await expect.poll(withoutExample, { timeout: LOG_DELAY_MS }).toEqual([])
  })
})

interface RequestLine {
  readonly msg: 'requestFinished'
  readonly method: string
  readonly route: string
}

/** Only ends the test if an endpoint has no example: log lines arrive after their response. */
const LOG_DELAY_MS = 10_000

describe('the documentation', () => {
  it('has an example of every command', async () => {
    const pages = PAGES.map((path) => readFileSync(path, 'utf8'))
      .join('\n')
      .replaceAll('\n', ' ')
    const commands = leavesOf(await buildProgram(), 'npx oqs')
    expect(commands.filter((command) => !pages.includes(`${command} `))).toEqual([])
  })
})

function leavesOf(command: Command, name: string): string[] {
  const children = command
    .createHelp()
    .visibleCommands(command)
    .filter((child) => child.name() !== 'help')
  if (children.length === 0) return [name]
  return children.flatMap((child) => leavesOf(child, `${name} ${child.name()}`))
}
