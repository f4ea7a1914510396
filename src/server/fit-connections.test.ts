import { expect, it } from 'vitest'
import { RESERVED_DESCRIPTORS } from '../contract/limits.ts'
import { readConfig } from './config.ts'
import { fitConnections } from './fit-connections.ts'

it.each([
  [256, 256 - RESERVED_DESCRIPTORS],
  [2000 + RESERVED_DESCRIPTORS, 2000],
  [Infinity, 2000],
  [RESERVED_DESCRIPTORS, 1],
])('with %d descriptors, %d connections fit', (descriptors, connections) => {
  const events: object[] = []
  const config = readConfig({ OQS_MAX_CONNECTIONS: '2000' })
  const fitted = fitConnections(config, (event) => events.push(event), descriptors)
  expect(fitted).toEqual({ ...config, OQS_MAX_CONNECTIONS: connections })
  const event = { event: 'connectionsReduced', connections, descriptors }
  expect(events).toEqual(connections === 2000 ? [] : [event])
})
