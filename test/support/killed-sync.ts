/**
 * Kills the sync, the service and the source while transactions run in the source, and checks what
 * readers of the service see: sums that every transaction keeps, a counter that never goes back and,
 * in the end, the rows of the source.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { freePort } from './free-port.ts'
import { type OqsProcess, runOqs, startOqs, waitForLine } from './oqs-process.ts'
import { type PostgresServer, startPostgresServer } from './postgres-server.ts'
import { tempFolder } from './temp-folder.ts'

const TOKEN = 'token-of-the-killed-syncs'
const VICTIMS = ['sync', 'service', 'source'] as const
const ACCOUNTS = 50
const ARGS = ['--tables', 'public.*', '--ontology', 'bank']

const SCHEMA = `
  CREATE TABLE accounts (id int PRIMARY KEY, balance bigint NOT NULL, note text);
  CREATE TABLE branches (id int PRIMARY KEY, counter bigint NOT NULL);
  CREATE TABLE history (id bigint PRIMARY KEY, account int REFERENCES accounts, delta bigint, at timestamptz DEFAULT now());
  ALTER TABLE accounts ALTER note SET STORAGE EXTERNAL;
  INSERT INTO accounts SELECT g, 0, repeat(chr(97 + g % 26), 3000) FROM generate_series(1, ${ACCOUNTS}) g;
  INSERT INTO branches VALUES (1, 0)`

export interface KilledSync {
  readonly kills: number
  /** Transactions that the source committed. */
  readonly transactions: number
  /** Snapshots that the reader checked. */
  readonly reads: number
}

/** Throws if a check fails. */
export async function killSyncs(kills: number): Promise<KilledSync> {
  await using parts = new AsyncDisposableStack()
  const server = parts.use(
    await startPostgresServer({ isDurable: true, settings: { wal_level: 'logical' } }),
  )
  const folder = parts.use(tempFolder())
  await withClient(server, (client) => client.query(SCHEMA))
  const port = String(await freePort())
  const store = `sqlite:${join(folder.path, 'oqs.db')}`
  const limits = { OQS_RATE_LIMIT_PER_MINUTE: 'none', OQS_LOG_LEVEL: 'warn' }
  const settings = { OQS_STORE: store, OQS_ADMIN_TOKEN: TOKEN, OQS_PORT: port, ...limits }
  const url = `http://127.0.0.1:${port}`
  const startService = async () => {
    const started = startOqs(['serve'], settings)
    await waitForLine(started, 'listening on ')
    return started
  }
  const client = { OQS_URL: url, OQS_TOKEN: TOKEN }
  const startSync = () => startOqs(['sync', server.url, ...ARGS], client)
  let service = await startService()
  let sync = startSync()
  // A sync that is started while nothing answers on the other side ends at once; a supervisor
  // restarts it.
  const restartSync = async () => {
    if (sync.child.exitCode === null) return
    if (!/connection refused|ECONNREFUSED/.test(sync.stderr())) {
      throw new Error(`the sync ended: ${sync.stderr()}`)
    }
    sync = startSync()
  }
  const stop = new AbortController()
  const writer = writeUntil(server, stop.signal)
  const seen = { reads: 0, counter: -1n }
  const reader = readUntil(url, seen, stop.signal)
  try {
    for (let kill = 0; kill < kills; kill += 1) {
      // The first kills hit the copy; before each later one, some transactions are visible.
      const { counter } = seen
      while (kill >= VICTIMS.length && seen.counter <= counter + BigInt(kill)) {
        await Promise.race([sleep(20), reader])
        await restartSync()
      }
      await sleep((kill * 97) % 300)
      const victim = VICTIMS[kill % VICTIMS.length]
      if (victim === 'source') {
        await server.kill()
        await server.start()
      } else if (victim === 'service') {
        await killNow(service)
        service = await startService()
      } else {
        await killNow(sync)
        sync = startSync()
      }
      await restartSync()
    }
    stop.abort()
    const [transactions] = await Promise.all([writer, reader])
    await killNow(sync)
    const { code, stderr } = await runOqs(['sync', server.url, ...ARGS, '--once'], client)
    if (code !== 0) throw new Error(`oqs sync exited with status ${code}: ${stderr}`)
    await compare(server, url)
    return { kills, transactions, reads: seen.reads }
  } finally {
    stop.abort()
    await Promise.allSettled([writer, reader])
    await killNow(sync)
    await killNow(service)
  }
}

async function killNow(process: OqsProcess): Promise<void> {
  process.child.kill('SIGKILL')
  await process.ended
}

async function withClient<T>(
  server: PostgresServer,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client({ connectionString: server.url })
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end().catch(() => {})
  }
}

/** Runs transactions, also after the source was killed. Returns how many were committed. */
async function writeUntil(server: PostgresServer, signal: AbortSignal): Promise<number> {
  let committed = 0
  for (let number = 1; !signal.aborted; ) {
    await withClient(server, async (client) => {
      while (!signal.aborted) {
        number += 1
        await client.query(transactionOf(number))
        committed += 1
        await sleep(2)
      }
    }).catch(() => sleep(50))
  }
  return committed
}

/** Moves an amount between two accounts, counts, and adds, moves or removes a line of history. */
function transactionOf(number: number): string {
  const [from, to] = [1 + (number % ACCOUNTS), 1 + ((number * 7 + 3) % ACCOUNTS)]
  const note = number % 20 === 0 ? `, note = repeat('${number % 10}', 3000)` : ''
  return `
    UPDATE accounts SET balance = balance - ${number}${note} WHERE id = ${from};
    UPDATE accounts SET balance = balance + ${number} WHERE id = ${to};
    UPDATE branches SET counter = counter + 1;
    INSERT INTO history (id, account, delta) VALUES (${number}, ${to}, ${number}) ON CONFLICT DO NOTHING;
    ${number % 3 === 0 ? `DELETE FROM history WHERE id = ${number - 2};` : ''}
    ${number % 11 === 0 ? `UPDATE history SET id = -id WHERE id = ${number - 1};` : ''}
    ${number % 97 === 0 ? 'TRUNCATE history;' : ''}`
}

/** Reads snapshots until the end. Throws if one is not a state of the source. */
async function readUntil(
  url: string,
  seen: { reads: number; counter: bigint },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await sleep(10)
    const accounts = await readAll(url, 'accounts')
    const branches = await readAll(url, 'branches')
    if (accounts !== undefined && accounts.length > 0) {
      const sum = accounts.reduce((total, { balance }) => total + BigInt(String(balance)), 0n)
      if (sum !== 0n) throw new Error(`a part of a transaction is visible: the sum is ${sum}`)
      if (accounts.length !== ACCOUNTS) throw new Error(`${accounts.length} accounts are visible`)
      if (accounts.some(({ note }) => String(note).length !== 3000)) {
        throw new Error('a note is missing')
      }
      seen.reads += 1
    }
    const [branch] = branches ?? []
    if (branch === undefined) continue
    const next = BigInt(String(branch['counter']))
    if (next < seen.counter) {
      throw new Error(`the counter went back from ${seen.counter} to ${next}`)
    }
    seen.counter = next
  }
}

type Row = Readonly<Record<string, unknown>>

/** Returns undefined while the service is down or has no such type. */
async function readAll(url: string, type: string): Promise<readonly Row[] | undefined> {
  const path = `${url}/api/v1/ontologies/bank/objects/${type}?snapshot=true`
  const response = await fetch(path, { headers: { authorization: `Bearer ${TOKEN}` } }).catch(
    () => undefined,
  )
  if (response?.status !== 200) return undefined
  const body = (await response.json().catch(() => undefined)) as
    | { readonly data: readonly { readonly properties: Row }[] }
    | undefined
  return body?.data.map(({ properties }) => properties)
}

async function compare(server: PostgresServer, url: string): Promise<void> {
  for (const table of ['accounts', 'branches', 'history']) {
    const rows = await withClient(server, async (client) => {
      const columns =
        table === 'history'
          ? "id::text, account, delta::text, to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') AS at"
          : '*'
      return (await client.query(`SELECT ${columns} FROM ${table} ORDER BY ${table}.id`))
        .rows as Row[]
    })
    const path = `${url}/api/admin/v1/ontologies/bank/objects/${table}/export`
    const response = await fetch(path, { headers: { authorization: `Bearer ${TOKEN}` } })
    const objects = (await response.text())
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Row)
    const [wanted, found] = [rows.map(digest).sort(), objects.map(digest).sort()]
    if (JSON.stringify(wanted) !== JSON.stringify(found)) {
      const differing = wanted.filter((row) => !found.includes(row))
      throw new Error(
        `${table} differs: ${rows.length} rows, ${objects.length} objects, first ${differing[0]}; ${found.find((row) => !wanted.includes(row))}`,
      )
    }
  }
}

/** The values of a row or an object, in one spelling. */
function digest(row: Row): string {
  const at = String(row['at'] ?? '')
    .replace('T', ' ')
    .replace(/\.?0*Z?$/, '')
  const { id, balance, note, counter, account, delta } = row
  return [id, balance, note, counter, account, delta, at]
    .map((value) => String(value ?? ''))
    .join('|')
}
