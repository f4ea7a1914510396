/** How fast `oqs sync` writes the transactions of a database, and how far it is behind. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { startProgram } from '../../test/support/oqs-process.ts'
import { startPostgresServer } from '../../test/support/postgres-server.ts'
import { ADMIN_TOKEN } from '../../test/support/service.ts'
import type { Part } from '../measure/command.ts'
import { readBody } from '../measure/connection.ts'
import { atLeast, atMost, count, quantile, showProgress, toMarkdown } from '../measure/report.ts'
import type { Service } from '../measure/workbench.ts'

interface SyncNumbers {
  /** The transactions that wait when the sync starts. */
  readonly transactions: number
  /** The transactions per second, and for how long, while it runs. */
  readonly rate: number
  readonly seconds: number
}

const ACCOUNTS = 1000
const TELLERS = 10
/** The tables of pgbench. */
const SCHEMA = `
  CREATE TABLE branches (bid int PRIMARY KEY, bbalance int, filler char(88));
  CREATE TABLE tellers (tid int PRIMARY KEY, bid int REFERENCES branches, tbalance int, filler char(84));
  CREATE TABLE accounts (aid int PRIMARY KEY, bid int REFERENCES branches, abalance int, filler char(84));
  CREATE TABLE history (hid bigint PRIMARY KEY, tid int, bid int, aid int, delta int, mtime timestamp, filler char(22));
  INSERT INTO branches VALUES (1, 0);
  INSERT INTO tellers SELECT n, 1, 0 FROM generate_series(1, ${TELLERS}) n;
  INSERT INTO accounts SELECT n, 1, 0 FROM generate_series(1, ${ACCOUNTS}) n`

/** The transaction of pgbench, which changes four tables. */
function transactionOf(number: number): string {
  const [account, teller] = [1 + (number % ACCOUNTS), 1 + (number % TELLERS)]
  return `UPDATE accounts SET abalance = abalance + 1 WHERE aid = ${account};
    UPDATE tellers SET tbalance = tbalance + 1 WHERE tid = ${teller};
    UPDATE branches SET bbalance = ${number} WHERE bid = 1;
    INSERT INTO history VALUES (${number}, ${teller}, 1, ${account}, 1, CURRENT_TIMESTAMP)`
}

const ARGS = ['--tables', 'public.*', '--ontology', 'bank']

export const sync: Part<SyncNumbers> = {
  about: `Runs the transactions of pgbench in a PostgreSQL server, which change one row of four tables each, and measures
how fast oqs sync writes them if they wait, and how far it is behind if they come at a steady rate.
About 2 minutes.`,
  full: { transactions: 10_000, rate: 200, seconds: 30 },
  quick: { transactions: 1000, rate: 100, seconds: 5 },
  async run({ bench, numbers, store, print }) {
    const settings = { wal_level: 'logical' }
    const source = bench.use(await startPostgresServer({ isDurable: true, settings }))
    const client = new Client({ connectionString: source.url })
    await client.connect()
    bench.use({ [Symbol.asyncDispose]: () => client.end() })
    await client.query(SCHEMA)
    const service = await bench.startService()
    const args = ['sync', source.url, ...ARGS]
    await bench.measureCommand(service, [...args, '--once'])
    const { transactions, rate, seconds } = numbers
    showProgress(`running ${count(transactions)} transactions`)
    for (let number = 1; number <= transactions; number += 1) {
      await client.query(transactionOf(number))
    }
    showProgress('catching up')
    const caughtUp = await bench.measureCommand(service, [...args, '--once'])
    if ((await balanceOf(service)) !== transactions) throw new Error('a transaction is missing')
    showProgress(`following ${rate} transactions per second`)
    const env = { TMPDIR: bench.folder, OQS_URL: service.url.origin, OQS_TOKEN: ADMIN_TOKEN }
    const following = startProgram(process.execPath, [service.program, ...args], env, {
      stdin: 'ignore',
      cwd: bench.folder,
      hasChannel: false,
    })
    bench.adopt(following.child)
    const delays = await measureDelays(client, service, transactions, rate, seconds)
    following.child.kill('SIGTERM')
    await following.ended
    const perSecond = transactions / caughtUp.seconds
    const cpu = (micros: number) => count(micros / transactions)
    print(
      toMarkdown([
        [`${store}, transactions of 4 changes`, 'per second', 'service CPU µs', 'command CPU µs'],
        ['that wait', count(perSecond), cpu(caughtUp.cpuMicros), cpu(caughtUp.command.cpuMicros)],
      ]),
    )
    const behind = `${store}: behind ${rate} transactions per second`
    print(`${behind}, median: ${count(quantile(delays, 0.5))} ms`)
    return [
      atLeast(200, `${store}: transactions per second`, perSecond),
      atMost(1000, `${behind}, p99 ms`, quantile(delays, 0.99)),
    ]
  },
}

/** Runs transactions at a steady rate. Returns the milliseconds from each commit to its visibility. */
async function measureDelays(
  client: Client,
  service: Service,
  first: number,
  rate: number,
  seconds: number,
): Promise<number[]> {
  const committed: number[] = []
  const delays: number[] = []
  const last = first + rate * seconds
  const watch = async () => {
    for (let seen = first; seen < last; ) {
      const balance = await balanceOf(service)
      const now = performance.now()
      while (seen < balance) {
        delays.push(now - (committed[seen - first] ?? now))
        seen += 1
      }
      await sleep(5)
    }
  }
  const run = async () => {
    const started = performance.now()
    for (let number = first + 1; number <= last; number += 1) {
      await sleep(Math.max(0, started + ((number - first) * 1000) / rate - performance.now()))
      await client.query(transactionOf(number))
      committed.push(performance.now())
    }
  }
  await Promise.all([watch(), run()])
  // The sync starts while the first ones are run.
  return delays.slice(Math.floor(delays.length / 3))
}

/** Returns the number of the last transaction that the service shows. */
async function balanceOf(service: Service): Promise<number> {
  const path = '/api/v1/ontologies/bank/objects/branches/1'
  return JSON.parse(String(await readBody(service, { method: 'GET', path }))).properties.bbalance
}
