/**
 * The share of the ceiling that the service reaches. The ceiling is bare node:http with a constant
 * page. The load comes from wrk, because a generator in JavaScript would limit the ceiling itself.
 */
import { execFile, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Call, Target } from '../measure/connection.ts'
import { count, showProgress, type Table } from '../measure/report.ts'
import { median } from '../measure/statistics.ts'

export const MISSING_WRK =
  'The ceiling was not measured: wrk is not installed. Install the Debian package wrk and run again.'

export interface CeilingOptions {
  readonly ceilingRounds: number
  readonly ceilingSeconds: number
}

interface LoadedServer {
  readonly name: string
  readonly server: Target
  readonly calls: readonly Call[]
}

export interface CeilingReport {
  readonly table: Table
  /** Requests per second of each server divided by those of the first. */
  readonly shares: readonly number[]
}

/** Measures servers under wrk in turn; the first one is the ceiling. Undefined if wrk is missing. */
export async function measureCeiling(
  folder: string,
  servers: readonly LoadedServer[],
  { ceilingRounds: rounds, ceilingSeconds: seconds }: CeilingOptions,
): Promise<CeilingReport | undefined> {
  // wrk prints its version with status 1.
  if (spawnSync('wrk', ['--version']).error !== undefined) return undefined
  const rates = servers.map((): number[] => [])
  for (let round = 0; round <= rounds; round++) {
    showProgress(`measuring the ceiling: round ${round} of ${rounds}`)
    for (const [index, each] of servers.entries()) {
      const rate = await requestsPerSecond(folder, each, seconds)
      // Round 0 warms up.
      if (round > 0) rates[index]?.push(rate)
    }
  }
  const shares = rates.map((own) =>
    median(own.map((rate, round) => rate / (rates[0]?.[round] ?? Number.NaN))),
  )
  const rows = servers.map(({ name }, index) => {
    const share = shares[index] ?? Number.NaN
    return [name, count(median(rates[index] ?? [])), share.toFixed(2)]
  })
  const header = ['Requests/s under wrk, pages of 1,000', 'req/s', 'share of the ceiling']
  return { table: [header, ...rows], shares }
}

async function requestsPerSecond(
  folder: string,
  { name, server, calls }: LoadedServer,
  seconds: number,
): Promise<number> {
  const script = join(folder, 'paths.lua')
  writeFileSync(
    script,
    `local paths = { ${calls.map(({ path }) => JSON.stringify(path)).join(', ')} }
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
  const { stdout } = await promisify(execFile)('wrk', load)
  const rate = Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1])
  if (!(rate > 0) || /Non-2xx/.test(stdout)) throw new Error(`wrk failed on ${name}: ${stdout}`)
  return rate
}
