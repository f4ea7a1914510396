/** Measures what one caller can do to others; see the help. */
import {
  chosenStores,
  FLAG,
  runScript,
  STORE_FLAGS,
  STORE_HELP,
  type StoreName,
  TEXT,
} from './measure/command-line.ts'
import { print } from './measure/progress.ts'
import { openStores, openWorkspace } from './measure/workspace.ts'
import { ATTACK_NAMES, measureAttacks } from './overload/attacks.ts'
import { loadItems, startMonitoredService } from './overload/callers.ts'
import { measureEventLoop } from './overload/event-loop.ts'
import { measureMemory } from './overload/memory.ts'
import type { AttackSize } from './overload/memory-attacks.ts'
import { FLOODS, type FloodOptions, measureTwoCallers } from './overload/two-callers.ts'

interface OverloadOptions extends FloodOptions, AttackSize {
  readonly objects: number
}

const FULL: OverloadOptions = {
  objects: 200_000,
  seconds: 10,
  batchBytes: 30_000_000,
  ontologies: 626,
  callers: 200,
  connections: 2500,
}
const QUICK: OverloadOptions = {
  objects: 20_000,
  seconds: 2,
  batchBytes: 4_000_000,
  ontologies: 20,
  callers: 20,
  connections: 2500,
}
const FLOOD_NAMES = Object.keys(FLOODS)

const HELP = `Usage: npm run overload -- [options]

Measures what one caller can do to others, in four parts.
Two callers: one floods the service and hangs up, the other sends small requests of six kinds. Of
all small reads together, 95 of 100 must take less than 10 times the median of their kind without
a flood, and of all small writes less than 10 times their 95th percentile. None may take more than a
second or be refused, and all must be as fast as before within 2 seconds. The table also shows each
kind by itself, which is not judged: 10 times the fastest kind is less than a time slice
of the operating system, and the machine that generates the load has other processes to run.
Attacks: callers fill the memory with definitions and with views of them, or open connections and
send nothing, while another reads and writes on new connections. The limits are the same, and no
request of the other may take a second.
Event loop: every endpoint at its largest legal input may block it for 50 ms at most.
Memory: with the largest batches, clients that do not read, and the worst queries, the service must
stay within 1.2 times its memory budget.

Takes about 6 minutes and 2 GB in TMPDIR per store. Everything is removed afterwards. The exit status
is 0, 1 when a mark is missed, or 2 when the run fails. A quick run judges only refusals and whether
the service survives.

${STORE_HELP}
  --flood NAME,…    only the first part, with these floods: ${FLOOD_NAMES.join(', ')}
  --attack NAME,…   only the attacks with these names: ${ATTACK_NAMES.join(', ')}
  --quick           ${QUICK.objects} objects and floods of ${QUICK.seconds} seconds: about a minute per store
  --help            this text`

await runScript({
  name: 'overload',
  help: HELP,
  options: { ...STORE_FLAGS, flood: TEXT, attack: TEXT, quick: FLAG },
  async run(values) {
    const floods = chosenNames('flood', values.flood, FLOOD_NAMES)
    const attacks = chosenNames('attack', values.attack, ATTACK_NAMES)
    const parts = { floods, attacks }
    const missed: string[] = []
    for (const store of chosenStores(values)) {
      missed.push(...(await measureOverload(store, parts, values.quick ? QUICK : FULL)))
    }
    for (const line of missed) print(`missed: ${line}`)
    const judged = values.quick ? missed.filter((line) => /refused|ended/.test(line)) : missed
    return judged.length === 0
  },
})

function chosenNames(
  kind: string,
  text: string | undefined,
  known: readonly string[],
): readonly string[] | undefined {
  const names = text?.split(',')
  const unknown = names?.find((name) => !known.includes(name))
  if (unknown === undefined) return names
  throw new Error(`There is no ${kind} "${unknown}". Use ${known.join(', ')}.`)
}

/** The parts to run; without any, all of them. */
interface Parts {
  readonly floods: readonly string[] | undefined
  readonly attacks: readonly string[] | undefined
}

async function measureOverload(
  name: StoreName,
  { floods, attacks }: Parts,
  options: OverloadOptions,
): Promise<readonly string[]> {
  using workspace = openWorkspace()
  await using stores = await openStores(name, workspace)
  const store = await stores.create('overload')
  print(`\n## ${name}, ${options.objects.toLocaleString('en')} objects`)
  const missed: string[] = []
  {
    await using service = await startMonitoredService(workspace, store)
    await loadItems(service, options.objects)
    const chosen = floods ?? (attacks === undefined ? FLOOD_NAMES : [])
    missed.push(...(await measureTwoCallers(workspace, service, store, chosen, options)))
  }
  if (attacks !== undefined || floods === undefined) {
    await using service = await startMonitoredService(workspace, store)
    missed.push(...(await measureAttacks(service, store, attacks ?? ATTACK_NAMES, options)))
  }
  if (floods !== undefined || attacks !== undefined) return missed
  {
    await using service = await startMonitoredService(workspace, store)
    missed.push(...(await measureEventLoop(service)))
  }
  await using service = await startMonitoredService(workspace, store)
  return [...missed, ...(await measureMemory(workspace, service, store, options))]
}
