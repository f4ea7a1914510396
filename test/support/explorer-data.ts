/** Objects that show what the explorer can do, and try what it must withstand. */
import type { ExplorerFiles } from '../../src/http/explorer/serve-explorer.ts'
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import { explorerOpener } from '../../src/server/explorer/open-explorer.ts'
import { type Service, type ServiceOptions, startService } from './service.ts'

const SHOP: OntologyDefinition = {
  apiName: 'shop',
  displayName: 'Shop',
  description: 'Goods and the places that sell them.',
  families: ['shop'],
  objectTypes: [
    {
      apiName: 'item',
      displayName: 'Item',
      primaryKey: 'id',
      titleProperty: 'name',
      properties: {
        id: { type: 'string' },
        name: { type: 'string' },
        price: { type: 'double' },
        stock: { type: 'long' },
        soldAt: { type: 'timestamp' },
        isNew: { type: 'boolean' },
        place: { type: 'geopoint' },
        tags: { type: 'array', items: { type: 'string' } },
        size: {
          type: 'struct',
          fields: { width: { type: 'integer' }, unit: { type: 'string' } },
        },
        makerCode: { type: 'string' },
      },
    },
    {
      apiName: 'maker',
      displayName: 'Maker',
      primaryKey: 'code',
      titleProperty: 'name',
      properties: { code: { type: 'string' }, name: { type: 'string' } },
    },
  ],
  linkTypes: [
    {
      apiName: 'maker',
      reverseApiName: 'items',
      from: 'item',
      to: 'maker',
      foreignKey: 'makerCode',
    },
  ],
}

/** Keys that an address must encode. */
export const ODD_KEYS = ['a/b', '100%', '50%25', 'a?b#c&d', '🛒 cart', 'Zürich', '..x', 'a+b c']

/** Texts that a page must show as they are. */
export const MARKUP = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '"><svg onload=alert(1)>',
  "javascript:alert('1')",
  '{{constructor.constructor("alert(1)")()}}',
  '</textarea><iframe srcdoc="<script>alert(1)</script>">',
  '&lt;b&gt; &amp;amp; \u202Ereversed',
]

export const ITEM_COUNT = 60 + ODD_KEYS.length + MARKUP.length

/** Kept for all services of a process, because its files are built and compressed on first use. */
const explorer = explorerOpener((event) => {
  throw new Error(JSON.stringify(event))
})

/** Returns the files of the explorer. */
export async function builtExplorer(): Promise<ExplorerFiles> {
  const files = await explorer()
  if (files === undefined) throw new Error('The explorer is not built.')
  return files
}

/** Starts a service with the explorer and the shop. */
export async function startShop(options: ServiceOptions = {}): Promise<Service> {
  const service = await startService({ explorer, ...options })
  await service.apply(SHOP)
  await service.put('shop', 'maker', [
    { code: 'm0', name: 'Anvil & Sons' },
    { code: 'm1', name: 'Brass Works' },
    { code: 'm2', name: 'Copper Mill' },
  ])
  await service.put('shop', 'item', [
    ...Array.from({ length: 60 }, (_, index) => ({
      id: `i${String(index).padStart(3, '0')}`,
      name: `Item ${index}`,
      price: index * 1.25,
      stock: `${9_007_199_254_740_993n + BigInt(index)}`,
      soldAt: new Date(Date.UTC(2026, 0, 1 + index)).toISOString(),
      isNew: index % 2 === 0,
      place: { type: 'Point', coordinates: [(index * 7) % 170, (index * 3) % 80] },
      tags: ['all', index % 2 === 0 ? 'even' : 'odd'],
      size: { width: index, unit: 'cm' },
      makerCode: `m${index % 3}`,
    })),
    ...ODD_KEYS.map((id, index) => ({ id, name: `Odd ${index}` })),
    ...MARKUP.map((name, index) => ({ id: `x${index}`, name, tags: [name] })),
  ])
  return service
}

export const WALK_COUNT = 2500
const WALK_LIMIT = 1500

/** Starts the shop with an ontology whose types have several pages; one of them is capped. */
export async function startWalks(): Promise<Service> {
  const service = await startShop()
  const properties = { id: { type: 'integer' }, name: { type: 'string' } } as const
  const type = { primaryKey: 'id', titleProperty: 'name', properties }
  await service.apply({
    apiName: 'walks',
    families: ['walks'],
    objectTypes: [
      { apiName: 'row', ...type },
      { apiName: 'capped', ...type, retrievalLimit: WALK_LIMIT },
    ],
  })
  const rows = Array.from({ length: WALK_COUNT }, (_, id) => ({ id, name: `row ${id}` }))
  await service.put('walks', 'row', rows)
  await service.put('walks', 'capped', rows)
  return service
}
