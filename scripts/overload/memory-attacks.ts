/** What callers can do to the memory and the connections of a service with legal requests. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import { type Call, Connection } from '../measure/connection.ts'
import { administer, define } from '../measure/parts.ts'
import type { Service } from '../measure/workbench.ts'
import { createCaller, describeStatuses, type Load } from './callers.ts'
import { ONTOLOGY, TYPE } from './dataset.ts'

export interface AttackNumbers {
  readonly seconds: number
  /** The number of ontologies that one caller creates. */
  readonly ontologies: number
  /** The number of callers under one rule. */
  readonly callers: number
  readonly connections: number
}

/** Prepares an attack, which the returned function starts. */
type PrepareAttack = (service: Service, numbers: AttackNumbers) => Promise<() => Load>

const LARGE_ONTOLOGIES = 7
const SENDERS = 8

/** Names of attacks, as `--attack` takes them. */
export const ATTACKS: Readonly<Record<string, PrepareAttack>> = {
  views: attackByViews,
  claims: attackByClaims,
  ontologies: attackByOntologies,
  connections: attackByConnections,
}

/** A caller that changes a small definition again and again, and reads large ontologies in between. */
async function attackByViews(service: Service): Promise<() => Load> {
  const names = await defineLarge(service)
  await define(service, smallDefinition(0))
  await administer(service, 'PUT', 'policies/views', {
    rights: [
      { ontology: 'attacked', objectType: '*', access: 'administer' },
      ...names.map((ontology) => ({ ontology, objectType: '*', access: 'read' })),
    ],
  })
  const token = await createCaller(service, 'attacker', 'views')
  return attack(service, [token], (n) =>
    n % 2 === 0
      ? {
          method: 'PUT',
          path: '/api/admin/v1/ontologies/attacked',
          body: JSON.stringify(smallDefinition(n)),
        }
      : page(names[n % names.length] ?? ''),
  )
}

/** Many callers, each of which sees other objects because of one rule. */
async function attackByClaims(service: Service, { callers }: AttackNumbers): Promise<() => Load> {
  const names = await defineLarge(service)
  const where = { type: 'eq', field: 'prop1', value: '$caller.name' }
  await administer(service, 'PUT', 'policies/claims', {
    rights: names.flatMap((ontology) => [
      { ontology, objectType: 'type0', access: 'read', where },
      { ontology, objectType: '*', access: 'read' },
    ]),
  })
  const tokens: string[] = []
  for (let n = 0; n < callers; n += 1) tokens.push(await createCaller(service, `c${n}`, 'claims'))
  return attack(service, tokens, (n) => page(names[n % names.length] ?? ''))
}

/** A caller that creates as many large ontologies as it may, and then reads from all of them. */
async function attackByOntologies(
  service: Service,
  { ontologies }: AttackNumbers,
): Promise<() => Load> {
  const token = await createCaller(service, 'attacker')
  // Made once: this process also measures the other caller.
  const largeText = JSON.stringify(largeDefinition('NAME'))
  return attack(service, [token], (n) =>
    n < ontologies
      ? {
          method: 'PUT',
          path: `/api/admin/v1/ontologies/many${n}`,
          body: largeText.replace('NAME', `many${n}`),
        }
      : page(`many${(n * 7) % ontologies}`),
  )
}

/** A client without a token that opens connections and sends nothing. */
async function attackByConnections(
  service: Service,
  { connections }: AttackNumbers,
): Promise<() => Load> {
  const sockets = new Set<Socket>()
  let closed = 0
  const open = async () => {
    const socket = connect(Number(service.url.port), service.url.hostname)
    socket.on('error', () => {})
    sockets.add(socket)
    socket.once('close', () => {
      closed += 1
      sockets.delete(socket)
    })
    await Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => {})
  }
  return runUntilEnd(async (signal) => {
    while (!signal.aborted) {
      if (sockets.size < connections) await open()
      // Whoever opens them faster than this needs CPU time, not memory.
      if (closed > 0 || sockets.size === connections) await sleep(2)
    }
    const result = `${sockets.size} open, ${closed} closed`
    for (const socket of sockets) socket.destroy()
    return result
  })
}

function runUntilEnd(run: (signal: AbortSignal) => Promise<string>): () => Load {
  return () => {
    const stop = new AbortController()
    const running = run(stop.signal)
    return {
      end() {
        stop.abort()
        return running
      },
    }
  }
}

/** Sends requests on several connections, each caller in turn. */
function attack(
  service: Service,
  tokens: readonly string[],
  callOf: (n: number) => Call,
): () => Load {
  const statuses: Record<string, number> = {}
  let sent = 0
  const sendAll = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      const n = sent
      sent += 1
      const token = tokens[n % tokens.length] ?? ''
      let status = 0
      try {
        const headers = { authorization: `Bearer ${token}` }
        using connection = await Connection.open({ url: service.url, headers })
        status = (await connection.send(callOf(n))).status
      } catch {
        // The service closed the connection, or has ended.
        await sleep(10)
      }
      statuses[status] = (statuses[status] ?? 0) + 1
    }
  }
  return runUntilEnd(async (signal) => {
    await Promise.all(Array.from({ length: SENDERS }, () => sendAll(signal)))
    return describeStatuses(statuses)
  })
}

async function defineLarge(service: Service): Promise<readonly string[]> {
  const names = Array.from({ length: LARGE_ONTOLOGIES }, (_, n) => `large${n}`)
  for (const name of names) await define(service, largeDefinition(name))
  return names
}

function largeDefinition(apiName: string): OntologyDefinition {
  const properties = Object.fromEntries(
    Array.from({ length: 49 }, (_, n) => [`prop${n}`, { type: 'string' as const }]),
  )
  const objectTypes = Array.from({ length: 600 }, (_, n) => ({
    apiName: `type${n}`,
    primaryKey: 'prop0',
    properties,
  }))
  return { apiName, objectTypes }
}

function smallDefinition(n: number): OntologyDefinition {
  const properties = { id: { type: 'string' as const } }
  const objectTypes = [{ apiName: TYPE, primaryKey: 'id', properties }]
  return { apiName: 'attacked', description: `Changed ${n} times. Not ${ONTOLOGY}.`, objectTypes }
}

function page(ontology: string): Call {
  return { method: 'GET', path: `/api/v1/ontologies/${ontology}/objects/type0?pageSize=1` }
}
