/** One caller floods the service and hangs up; another one keeps sending small requests. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent } from 'node:http'
import { fileURLToPath } from 'node:url'
import { quantile } from '../bench/statistics.ts'
import { toText } from '../bench/table.ts'
import type { Workspace } from '../bench/workspace.ts'
import type { FloodKind, FloodReport } from './flood.ts'
import type { OverloadedService } from './service.ts'
import { SMALL_REQUEST_NAMES, sendSmall, smallRequests, type Timed } from './small-requests.ts'

const FLOOD = fileURLToPath(new URL('./flood.ts', import.meta.url))

export interface Attack {
  readonly name: string
  readonly kinds: readonly FloodKind[]
}

export const ATTACKS: readonly Attack[] = [
  { name: 'worst queries', kinds: ['queries'] },
  { name: 'pages and pipelines', kinds: ['pages', 'pipelines'] },
  { name: 'batches', kinds: ['batches'] },
  { name: 'queries that are given up, unknown tokens', kinds: ['hang-ups', 'strangers'] },
  {
    name: 'all of them, and clients that do not read',
    kinds: ['queries', 'pages', 'pipelines', 'batches', 'stalled readers'],
  },
]

export interface AttackOptions {
  readonly seconds: number
  readonly batchBytes: number
}

/** How long after the flood requests may take to be as fast as before. */
const RECOVERY_MS = 2000
/** How much slower than in quiet times a small request may be. */
const SLOWER = 10

/** Prints a table and gives what was missed, one line each. */
export async function measureTwoCallers(
  service: OverloadedService,
  workspace: Workspace,
  { seconds, batchBytes }: AttackOptions,
  attacks: readonly Attack[] = ATTACKS,
): Promise<string[]> {
  const [attacker, bystander] = [await service.createToken('a'), await service.createToken('b')]
  const agent = new Agent({ keepAlive: true })
  let sent = 0
  const send = async (forMs: number): Promise<Timed[]> => {
    const timed: Timed[] = []
    const end = performance.now() + forMs
    while (performance.now() < end) {
      sent += 1
      for (const one of smallRequests(sent))
        timed.push(await sendSmall(one, service.url, bystander, agent))
    }
    return timed
  }
  await send(1000 * seconds)
  const quiet = await send(1000 * seconds)
  const missed: string[] = []
  for (const { name, kinds } of attacks) {
    const flood = fork(FLOOD)
    workspace.adopt(flood)
    const report = once(flood, 'message')
    flood.send({ url: service.url, token: attacker, kinds, batchBytes })
    // The first second shows a caller that arrives; what counts is the rest.
    await send(1000)
    const loaded = await send(1000 * seconds)
    flood.send('end')
    const [statuses] = (await report) as [FloodReport]
    const recovery = await recoveryMs(send, quiet)
    console.log(attackTable(name, statuses, quiet, loaded, recovery))
    missed.push(...missedBy(name, quiet, loaded, recovery))
  }
  agent.destroy()
  return missed
}

/** Until all small requests of a round are within their bounds again. */
async function recoveryMs(send: (ms: number) => Promise<Timed[]>, quiet: readonly Timed[]) {
  const started = performance.now()
  while (performance.now() - started < 10 * RECOVERY_MS) {
    const round = await send(0.001)
    if (round.every(({ name, ms }) => ms <= SLOWER * median(quiet, name))) break
  }
  return performance.now() - started
}

function attackTable(
  name: string,
  statuses: FloodReport,
  quiet: readonly Timed[],
  loaded: readonly Timed[],
  recovery: number,
): string {
  const flood = Object.entries(statuses).map(([status, count]) => `${count} x ${status}`)
  const rows = SMALL_REQUEST_NAMES.map((request) => {
    const base = median(quiet, request)
    const times = timesOf(loaded, request)
    const ratios = [0.5, 0.95, 1].map((share) => (quantile(times, share) / base).toFixed(1))
    const refused = loaded.filter((one) => one.name === request && one.status !== 200).length
    return { name: request, cells: [base.toFixed(2), ...ratios, String(refused)] }
  })
  const columns = ['quiet ms', 'p50 x', 'p95 x', 'max x', 'refused']
  return [
    '',
    toText({ title: `Flood: ${name}`, columns, rows }),
    `answers to the flood: ${flood.join(', ') || 'none'}; recovery ${Math.round(recovery)} ms`,
  ].join('\n')
}

function missedBy(
  attack: string,
  quiet: readonly Timed[],
  loaded: readonly Timed[],
  recovery: number,
): string[] {
  const missed: string[] = []
  for (const name of SMALL_REQUEST_NAMES) {
    const ratio = quantile(timesOf(loaded, name), 0.95) / median(quiet, name)
    if (ratio > SLOWER) missed.push(`${attack}: ${name} took ${ratio.toFixed(1)} x as long (p95)`)
  }
  const refused = loaded.filter(({ status }) => status !== 200).length
  if (refused > 0) missed.push(`${attack}: ${refused} small requests were refused`)
  if (recovery > RECOVERY_MS) missed.push(`${attack}: recovery took ${Math.round(recovery)} ms`)
  return missed
}

function timesOf(timed: readonly Timed[], request: string): number[] {
  return timed.filter(({ name }) => name === request).map(({ ms }) => ms)
}

function median(timed: readonly Timed[], request: string): number {
  return quantile(timesOf(timed, request), 0.5)
}
