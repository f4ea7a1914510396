/** What one caller can do to others: see the help. */
import { parseArgs } from 'node:util'
import { readCommandLine } from './bench/command-line.ts'
import { STORES } from './bench/options.ts'
import { openEmptyStore } from './bench/stores.ts'
import { openWorkspace } from './bench/workspace.ts'
import { measureEventLoop } from './overload/event-loop.ts'
import { measureMemory } from './overload/memory.ts'
import { startOverloadedService } from './overload/service.ts'
import { measureTwoCallers } from './overload/two-callers.ts'

const FULL = { objects: 200_000, seconds: 10, batchBytes: 30_000_000 }
const QUICK = { objects: 20_000, seconds: 2, batchBytes: 4_000_000 }

const HELP = `Usage: npm run overload -- [options]

Starts the service on a store of its own. One caller floods it with the most expensive legal queries,
pages, pipelines and batches, then hangs up, while another caller sends small requests: 95 of 100 must
stay under 10 times their usual time, none may be refused, and all must be as before within 2 seconds.
Then every endpoint with its largest legal input: 50 ms of the main thread at a stretch at most.
Then the largest batches at once, clients that do not read and the worst queries: the service must
stay within its memory budget. Takes about 5 minutes for each store. Exits with 1 when a mark is
missed; the quick form judges only refusals and the life of the process.

  --sqlite    SQLite only
  --postgres  PostgreSQL only: a server of its own, or a new database on that of OQS_TEST_POSTGRES
  --quick     fewer objects and shorter floods: about a minute
  --help      this text`

const options = readCommandLine('overload', () => {
  const flag = { type: 'boolean', default: false } as const
  const help = { ...flag, short: 'h' } as const
  return parseArgs({ options: { sqlite: flag, postgres: flag, quick: flag, help } }).values
})
if (options?.help) console.log(HELP)
else if (options !== undefined) {
  const chosen = STORES.filter((name) => (name === 'SQLite' ? options.sqlite : options.postgres))
  const size = options.quick ? QUICK : FULL
  const missed: string[] = []
  for (const name of chosen.length === 0 ? STORES : chosen) {
    using workspace = openWorkspace()
    await using store = await openEmptyStore(name, workspace)
    console.log(`\n${name}, ${size.objects} objects`)
    {
      await using service = await startOverloadedService(workspace, store.url, size)
      missed.push(...(await measureTwoCallers(service, workspace, size)))
    }
    {
      await using service = await startOverloadedService(workspace, store.url, { objects: 0 })
      missed.push(...(await measureEventLoop(service)))
    }
    await using service = await startOverloadedService(workspace, store.url, { objects: 0 })
    missed.push(...(await measureMemory(service, workspace, size)))
  }
  const judged = options.quick ? missed.filter((line) => /refused|ended/.test(line)) : missed
  for (const line of missed) console.log(`missed: ${line}`)
  if (judged.length > 0) process.exitCode = 1
}
