/** Runs loads in a process of its own, so that they share no thread with the measurements. */
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Call,
  Connection,
  headerLines,
  requestHead,
  sendOnce,
  type Target,
} from '../measure/connection.ts'
import { findLoad, type Load, type LoadOrder, type LoadReport } from './loads.ts'

const PIPELINED = 100
const HANG_UP_MS = 20
const RECONNECT_MS = 100
/** A client that opens silent connections faster than this needs CPU time, not memory. */
const SILENT_RECONNECT_MS = 5000

/** Starts the loads of an order, and returns the counts of received statuses. */
function startLoads({ url, names, callers, pid, numbers }: LoadOrder): LoadReport {
  const statuses: Record<string, number> = {}
  const countStatus = (status: number) => {
    statuses[status] = (statuses[status] ?? 0) + 1
  }
  let sent = 0
  const start = (load: Load, nextCall: ((n: number) => Call) | undefined) => {
    const ownHeaders = load.hasUnknownToken && { authorization: `Bearer ${randomUUID()}` }
    const nextTarget = (): Target => {
      const headers = ownHeaders || (callers[sent % callers.length] ?? {})
      sent += 1
      return { url: new URL(url), headers }
    }
    const send = async (call: Call) => {
      const { status, body } = await sendOnce(nextTarget(), call)
      countStatus(status)
      return body.toString()
    }
    return async () => {
      if (load.hold) {
        await load.hold(nextTarget(), pid)
        return void (await sleep(RECONNECT_MS))
      }
      if (load.script) return load.script(send, numbers)
      if (nextCall === undefined)
        return holdSocket(nextTarget(), [], { pauseMs: SILENT_RECONNECT_MS })
      if (load.manner === 'reconnecting') return void (await send(nextCall(sent)))
      const call = nextCall(sent)
      const target = nextTarget()
      if (load.manner === 'hanging up') return holdSocket(target, [call], { ms: HANG_UP_MS })
      if (load.manner !== undefined) {
        const isStalled = load.manner === 'stalled'
        return holdSocket(target, Array(PIPELINED).fill(call), { isStalled })
      }
      using connection = await Connection.open(target)
      for (;;) countStatus((await connection.send(call)).status)
    }
  }
  for (const load of names.map(findLoad)) {
    const { connections = 1 } = load
    const nextCall = load.request?.(numbers)
    const count = typeof connections === 'number' ? connections : connections(numbers)
    for (let n = 0; n < count; n += 1) void repeat(start(load, nextCall))
  }
  return statuses
}

/** Continues also after a request that failed, or a connection that was closed. */
async function repeat(work: () => Promise<void>): Promise<never> {
  for (;;) await work().catch(() => sleep(RECONNECT_MS))
}

/** Sends requests at once, and waits until the service closes the connection, or for some time. */
async function holdSocket(
  target: Target,
  calls: readonly Call[],
  { isStalled = false, pauseMs = RECONNECT_MS, ms = 2 ** 31 - 1 },
): Promise<void> {
  const socket = connect(Number(target.url.port), target.url.hostname)
  socket.on('error', () => {})
  const isClosed = once(socket, 'close')
  if (!isStalled) socket.resume()
  for (const [n, call] of calls.entries()) {
    // So that the service closes the connection after the last response.
    const closing = n === calls.length - 1 ? { connection: 'close' } : {}
    const headers = headerLines({ ...target, headers: { ...target.headers, ...closing } })
    socket.write(requestHead(headers, call) + String(call.body ?? ''))
  }
  await Promise.race([isClosed, sleep(ms)])
  socket.destroy()
  await sleep(pauseMs)
}

// A flood comes from other machines, so it must not compete with the service for CPU time.
setPriority(10)
process.once('message', (order: LoadOrder) => {
  if (order.usesIdleTimeOnly) {
    // A low priority alone does not suffice: Linux lets such a process finish its time slice, which is
    // longer than ten small requests. Without chrt, that remains so.
    spawnSync('chrt', ['--idle', '--all-tasks', '--pid', '0', String(process.pid)])
  }
  const statuses = startLoads(order)
  // Exits in the middle of all responses.
  process.once('message', () => process.send?.(statuses, () => process.exit()))
})
