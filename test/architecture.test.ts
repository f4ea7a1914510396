import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'
import { LANGUAGES } from '../src/ontology/definition/language.ts'

/** What each folder of `src/` may import from the others; ARCHITECTURE.md shows the same table. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  admission: ['contract'],
  ontology: ['contract'],
  query: ['contract', 'ontology'],
  paging: ['contract'],
  formats: ['contract'],
  client: ['contract'],
  transfer: ['contract', 'ontology', 'formats', 'client'],
  store: ['contract', 'admission', 'ontology', 'query', 'paging'],
  access: ['contract', 'admission', 'ontology', 'query', 'store'],
  service: ['contract', 'admission', 'ontology', 'query', 'paging', 'formats', 'store', 'access'],
  http: [
    'contract',
    'admission',
    'ontology',
    'query',
    'paging',
    'formats',
    'store',
    'access',
    'service',
  ],
  server: [
    'contract',
    'admission',
    'ontology',
    'query',
    'paging',
    'formats',
    'store',
    'access',
    'service',
    'http',
  ],
  cli: ['contract', 'formats', 'client', 'transfer', 'store', 'access', 'server'],
  explorer: ['contract', 'ontology', 'formats', 'client', 'transfer'],
}

/** The store port. */
const PORT = ['object-store.ts', 'port/request-context.ts']

/** Files of a folder that others may import; all of them where nothing is said. */
const PUBLIC_FILES: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  // The port, not what is behind it.
  store: { access: PORT, service: PORT, http: PORT, cli: PORT },
}

/** Folders that never touch the world: no files, sockets, processes or clocks. */
const PURE = ['contract', 'ontology', 'query', 'paging', 'formats']
const PURE_MODULES = [
  'ajv',
  'node:buffer',
  'node:crypto',
  'node:zlib',
  're2js',
  'typebox',
  '@uwdata/flechette',
  'hyparquet',
  'hyparquet-compressors',
  'hyparquet-writer',
  'lru-cache',
  ...LANGUAGES.map((language) => `@orama/stemmers/${language}`),
]

const FILE_LINES = 400
/** Tables that are one idea, which parts in several files would hide. */
const LONG_TABLES: readonly string[] = [
  'src/contract/error-catalogue.ts',
  'src/http/openapi/examples.ts',
  'src/server/settings.ts',
]
const TEST_LINES = 500

interface SourceFile {
  readonly path: string
  readonly layer: string
  readonly text: string
  readonly imports: readonly string[]
}

function readSource(path: string): SourceFile {
  const text = readFileSync(path, 'utf8')
  const imports = [
    ...text.matchAll(
      /^(?:import|export)\b[^'"]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gms,
    ),
  ]
  return {
    path,
    layer: path.split('/')[1] ?? '',
    text,
    imports: imports.map((match) => match[1] ?? match[2] ?? match[3] ?? ''),
  }
}

const sources = globSync('src/**/*.{ts,tsx}')
  .filter((path) => !path.endsWith('.test.ts'))
  .map(readSource)

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
}

/** Imports that are left after compilation: those of types disappear. */
function runtimeImports({ text, imports }: SourceFile): readonly string[] {
  const ofTypes = new Set(
    [...text.matchAll(/^(?:import|export) type\b[^'"]*?from '([^']+)'/gms)].map(([, name]) => name),
  )
  return imports.filter((name) => !ofTypes.has(name))
}

/** The file that a relative import names, from the top of the checkout. */
function resolveImport(from: string, specifier: string): string {
  return normalize(join(dirname(from), specifier))
}

function forbiddenImports({ path, layer, imports }: SourceFile): string[] {
  return imports
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => resolveImport(path, specifier))
    .filter((target) => {
      const [, targetLayer = '', ...rest] = target.split('/')
      if (targetLayer === layer) return false
      if (!MAY_IMPORT[layer]?.includes(targetLayer)) return true
      const visible = PUBLIC_FILES[targetLayer]?.[layer]
      return visible !== undefined && !visible.includes(rest.join('/'))
    })
}

describe('the layers', () => {
  it('read every source file, each in a known layer', () => {
    expect(sources.length).toBeGreaterThan(50)
    expect(sources.filter(({ layer }) => MAY_IMPORT[layer] === undefined)).toEqual([])
  })

  it('import only what they may', () => {
    const found = sources.map((file) => [file.path, forbiddenImports(file)])
    expect(found.filter(([, forbidden]) => (forbidden?.length ?? 0) > 0)).toEqual([])
  })

  it('notice a planted violation', () => {
    const planted = {
      path: 'src/paging/x.ts',
      layer: 'paging',
      text: '',
      imports: ['../store/object-store.ts', './page-size.ts'],
    }
    const behindPort = {
      path: 'src/http/x.ts',
      layer: 'http',
      text: '',
      imports: ['../store/sqlite/open.ts'],
    }
    expect(forbiddenImports(planted)).toEqual(['src/store/object-store.ts'])
    expect(forbiddenImports(behindPort)).toEqual(['src/store/sqlite/open.ts'])
  })

  it('keep the pure folders pure', () => {
    const worldly = sources
      .filter(({ layer }) => PURE.includes(layer))
      .flatMap(({ path, imports, text }) => [
        ...imports
          .filter((name) => !name.startsWith('.') && !PURE_MODULES.includes(name))
          .map((name) => `${path}: ${name}`),
        ...(/\b(?:process\.|Date\.now|setTimeout|console\.)/.test(withoutComments(text))
          ? [path]
          : []),
      ])
    expect(worldly).toEqual([])
  })

  it('keep use cases free of the web framework', () => {
    const web = ['fastify', 'node:http', 'node:net']
    const found = sources
      .filter(
        ({ layer, imports }) => layer === 'service' && imports.some((name) => web.includes(name)),
      )
      .map(({ path }) => path)
    expect(found).toEqual([])
  })

  it('read the environment in one place', () => {
    const readers = sources
      // Passing all of it on to a child process is not reading it.
      .filter(({ text }) => text.replaceAll('...process.env', '').includes('process.env'))
      .map(({ path }) => path)
    expect(readers.every((path) => path.startsWith('src/cli/'))).toBe(true)
  })

  it('keep no mutable state in modules', () => {
    const mutable =
      /^(?:export )?(?:let|var) |^(?:export )?const \w+(?:: (?!Readonly)[^=\n]+)? = new (?:Weak)?(?:Map|Set|LRUCache)\b/m
    const found = sources.filter(({ text }) => mutable.test(text)).map(({ path }) => path)
    expect(found).toEqual([])
    expect('const seen = new Map<string, number>()').toMatch(mutable)
    expect('let last = 0').toMatch(mutable)
    expect('const NAMES: ReadonlySet<string> = new Set()').not.toMatch(mutable)
  })

  it('let the explorer reach only what runs in a browser', () => {
    const files = new Map(sources.map((file) => [file.path, file]))
    const reached = new Set<string>()
    const visit = (path: string): void => {
      const file = files.get(path)
      if (file === undefined || reached.has(path)) return
      reached.add(path)
      for (const name of runtimeImports(file)) {
        if (name.startsWith('.')) visit(resolveImport(path, name.replace(/\?.*$/, '')))
      }
    }
    for (const { path, layer } of sources) if (layer === 'explorer') visit(path)
    expect(reached).toContain('src/transfer/import/import-files.ts')
    const bound = [...reached].filter((path) => {
      const file = files.get(path)
      // The compiler holds the explorer's own files to it; some of them quote code for Node.js.
      if (file === undefined || file.layer === 'explorer') return false
      return (
        file.imports.some((name) => name.startsWith('node:')) ||
        /\bBuffer\b/.test(withoutComments(file.text))
      )
    })
    expect(bound).toEqual([])
  })

  it('have no import cycles', () => {
    const edges = sources.map(
      ({ path, imports }) =>
        [
          path,
          imports.filter((name) => name.startsWith('.')).map((name) => resolveImport(path, name)),
        ] as const,
    )
    expect(findCycle(new Map(edges))).toBeUndefined()
  })
})

/** Returns a cycle of a graph, or undefined if it has none. */
function findCycle(edges: ReadonlyMap<string, Iterable<string>>): string[] | undefined {
  const done = new Set<string>()
  const visit = (node: string, trail: readonly string[]): string[] | undefined => {
    if (trail.includes(node)) return [...trail.slice(trail.indexOf(node)), node]
    if (done.has(node)) return undefined
    for (const next of edges.get(node) ?? []) {
      const cycle = visit(next, [...trail, node])
      if (cycle !== undefined) return cycle
    }
    done.add(node)
    return undefined
  }
  for (const node of edges.keys()) {
    const cycle = visit(node, [])
    if (cycle !== undefined) return cycle
  }
  return undefined
}

/** Returns which folders each folder imports, without those inside it and those that it is in. */
function folderImports(files: readonly Pick<SourceFile, 'path' | 'imports'>[]) {
  const folders = new Map<string, Set<string>>()
  for (const { path, imports } of files) {
    const from = dirname(path)
    for (const specifier of imports) {
      if (!specifier.startsWith('.')) continue
      const to = dirname(resolveImport(path, specifier))
      const isInside = from === to || from.startsWith(`${to}/`) || to.startsWith(`${from}/`)
      if (!isInside) folders.set(from, (folders.get(from) ?? new Set()).add(to))
    }
  }
  return folders
}

describe('the folders', () => {
  it('import each other in no circle', () => {
    expect(findCycle(folderImports(sources))).toBeUndefined()
  })

  it('notice a planted circle', () => {
    const planted = [
      { path: 'src/http/a/x.ts', imports: ['../b/y.ts', '../z.ts'] },
      { path: 'src/http/b/y.ts', imports: ['../c/w.ts'] },
      { path: 'src/http/c/w.ts', imports: ['../a/v.ts'] },
      { path: 'src/http/z.ts', imports: ['./a/x.ts'] },
    ]
    const [a, b, c] = ['src/http/a', 'src/http/b', 'src/http/c']
    expect(findCycle(folderImports(planted))).toEqual([a, b, c, a])
  })
})

const CODE = ['src/**/*.{ts,tsx}', 'test/**/*.ts']

describe('the files', () => {
  it('stay short', () => {
    const long = globSync(CODE).filter((path) => {
      const lines = readFileSync(path, 'utf8').split('\n').length - 1
      const isTest = path.startsWith('test/') || path.endsWith('.test.ts')
      return !LONG_TABLES.includes(path) && lines > (isTest ? TEST_LINES : FILE_LINES)
    })
    expect(long).toEqual([])
  })

  it('hold no stubs and no skipped tests', () => {
    const odd = globSync(CODE).filter(
      (path) =>
        path !== 'test/architecture.test.ts' &&
        /\b(?:TODO|FIXME)\b|\b(?:it|test|describe)\.(?:skip|todo|only)\b/.test(
          readFileSync(path, 'utf8'),
        ),
    )
    expect(odd).toEqual([])
  })
})
