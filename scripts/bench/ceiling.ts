/**
 * The share of the ceiling that the service reaches. The ceiling is bare node:http with a constant
 * page. The load comes from wrk, because a generator in JavaScript would limit the ceiling itself.
 */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Call, Target } from '../measure/connection.ts'
import { showProgress } from '../measure/progress.ts'
import { median } from '../measure/statistics.ts'
import { count, type Table } from '../measure/table.ts'
import type { Workspace } from '../measure/workspace.ts'

const run = promisify(execFile)

export const MISSING_WRK =
  'The ceiling was not measured: wrk is not installed. Install the Debian package wrk and run again.'

export interface CeilingReport {
  readonly table: Table
  /** Requests per second divided by the ceiling. */
  readonly hotShare: number
  readonly coldShare: number
}

export interface CeilingOptions {
  readonly rounds: number
  readonly seconds: number
}

interface LoadedServer {
  readonly name: string
  readonly server: Target
  readonly calls: readonly Call[]
}

/** Returns undefined when wrk is missing. The servers are the ceiling, the hot and the cold one. */
export async function measureCeiling(
  workspace: Workspace,
  servers: readonly [LoadedServer, LoadedServer, LoadedServer],
  { rounds, seconds }: CeilingOptions,
): Promise<CeilingReport | undefined> {
  if (!(await hasWrk())) return undefined
  const rates = servers.map((): number[] => [])
  for (let round = 0; round <= rounds; round++) {
    showProgress(`measuring the ceiling: round ${round} of ${rounds}`)
    for (const [index, each] of servers.entries()) {
      const rate = await requestsPerSecond(workspace, each, seconds)
      // Round 0 warms up.
      if (round > 0) rates[index]?.push(rate)
    }
  }
  const [ceiling = [], hot = [], cold = []] = rates
  const share = (of: readonly number[]) =>
    median(of.map((rate, round) => rate / (ceiling[round] ?? Number.NaN)))
  return {
    table: [
      ['Requests/s under wrk, pages of 1,000', 'req/s', 'share of the ceiling'],
      ...servers.map(({ name }, index) => {
        const own = rates[index] ?? []
        return [name, count(median(own)), share(own).toFixed(2)]
      }),
    ],
    hotShare: share(hot),
    coldShare: share(cold),
  }
}

async function hasWrk(): Promise<boolean> {
  return run('wrk', ['--version']).then(
    () => true,
    // wrk prints its version and exits with 1; a missing program has a code in letters.
    ({ code }: { readonly code: unknown }) => code !== 'ENOENT',
  )
}

async function requestsPerSecond(
  { folder }: Workspace,
  { name, server, calls }: LoadedServer,
  seconds: number,
): Promise<number> {
  const script = join(folder, 'paths.lua')
  const paths = calls.map(({ path }) => JSON.stringify(path)).join(', ')
  writeFileSync(
    script,
    `local paths = { ${paths} }
local requests = {}
local turn = 0
function init()
  for index, path in ipairs(paths) do requests[index] = wrk.format("GET", path) end
end
function request()
  turn = turn % #requests + 1
  return requests[turn]
end
`,
  )
  const headers = Object.entries(server.headers).flatMap(([key, value]) => [
    '-H',
    `${key}: ${value}`,
  ])
  const load = ['-t1', '-c8', `-d${seconds}s`, '-s', script, ...headers, server.url.href]
  const { stdout } = await run('wrk', load)
  const rate = Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1])
  if (!(rate > 0) || /Non-2xx/.test(stdout)) throw new Error(`wrk failed on ${name}: ${stdout}`)
  return rate
}
