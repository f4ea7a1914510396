import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { FIRST_OBJECTS, MESSY_FILES, type MessyFile } from '../support/messy-files.ts'
import { runInProcess } from '../support/run-in-process.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

let service: Service
let folder: TempFolder

beforeAll(async () => {
  service = await startService()
  folder = tempFolder()
})
afterAll(async () => {
  folder[Symbol.dispose]()
  await service[Symbol.asyncDispose]()
})
beforeEach(() => {
  vi.stubEnv('OQS_URL', service.url)
  vi.stubEnv('OQS_TOKEN', ADMIN_TOKEN)
})

const runImport = (...args: string[]) => runInProcess('import', ...args)

interface Property {
  readonly type: string
  readonly items?: Property
  readonly fields?: Readonly<Record<string, Property>>
}

interface GuessedType {
  readonly apiName: string
  readonly primaryKey: string
  readonly properties: Readonly<Record<string, Property>>
}

function typeText({ type, items, fields = {} }: Property): string {
  if (items !== undefined) return `${typeText(items)}[]`
  if (type !== 'struct') return type
  return `{${Object.entries(fields)
    .map(([name, field]) => `${name} ${typeText(field)}`)
    .join(', ')}}`
}

async function guessOf(type: string): Promise<string> {
  const { text } = await service.send('/api/admin/v1/ontologies/messy')
  const { objectTypes } = JSON.parse(text) as { objectTypes: GuessedType[] }
  const found = objectTypes.find(({ apiName }) => apiName === type) as GuessedType
  return Object.entries(found.properties)
    .map(([name, property]) => {
      const key = name === found.primaryKey ? ' (key)' : ''
      return `\`${name}\` ${typeText(property)}${key}`
    })
    .join(', ')
}

async function guessedTypes(): Promise<string[]> {
  const { text } = await service.send('/api/admin/v1/ontologies/messy')
  const { objectTypes } = JSON.parse(text) as { objectTypes: GuessedType[] }
  return objectTypes.map(({ apiName }) => apiName)
}

async function objectsOf(type: string): Promise<unknown[]> {
  const { text } = await service.send(`/api/admin/v1/ontologies/messy/objects/${type}/export`)
  const lines = text.split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line))
}

function rowOf({ name, what, options }: MessyFile, guess: string): string {
  const given = options.length === 0 ? '' : ` \`${options.join(' ')}\``
  return `| \`${name}\` | ${what} |${given} | ${guess} |`
}

const page = readFileSync(new URL('../../docs/contributing/guesses.md', import.meta.url), 'utf8')

describe('a file as people have it', () => {
  it.each(MESSY_FILES.map((file, index) => [file.name, file, `t${index}`] as const))(
    'imports with the options that messages name, and is guessed as documented: %s',
    async (name, file, type) => {
      const path = join(folder.path, name)
      writeFileSync(path, file.content)
      const plain = await runImport(path, '--ontology', 'messy', '--type', type, '--infer')
      let stored: string = type
      if (file.options.length === 0) expect(plain.error).toBe('')
      else {
        expect(plain.error + plain.stderr).toContain(file.options.join(' '))
        stored = `${type}Again`
        const args = [path, '--ontology', 'messy', '--type', stored, '--infer', ...file.options]
        expect(await runImport(...args)).toMatchObject({ error: '' })
      }
      const objects = await objectsOf(stored)
      expect(objects).toHaveLength(file.objects)
      expect(objects[0]).toEqual(FIRST_OBJECTS[name] ?? objects[0])
      expect(page).toContain(rowOf(file, await guessOf(stored)))
    },
  )

  it('leaves no type behind if its import fails', async () => {
    const names = new Set(await guessedTypes())
    const latin1 = MESSY_FILES.findIndex(({ name }) => name === 'latin1.csv')
    expect([names.has(`t${latin1}`), names.has(`t${latin1}Again`)]).toEqual([false, true])
  })
})

describe('an import', () => {
  const write = (name: string, content: string) => {
    const path = join(folder.path, name)
    writeFileSync(path, content)
    return path
  }
  const into = (type: string) => ['--ontology', 'messy', '--type', type]

  it('counts repeated keys, and writes the row that the option names', async () => {
    const path = write('twice.csv', 'id,v\n1,a\n1,b\n2,c\n')
    const run = (type: string, ...args: string[]) =>
      runImport(path, ...into(type), '--infer', '--key', 'id', ...args)
    const last = await run('twiceLast')
    expect([last.error, last.stderr]).toEqual([
      '',
      expect.stringContaining('1 row had the primary key of an earlier row; the last row'),
    ])
    expect((await run('twiceFirst', '--on-duplicate', 'first')).error).toBe('')
    expect([await objectsOf('twiceLast'), await objectsOf('twiceFirst')]).toEqual([
      [
        { id: 1, v: 'b' },
        { id: 2, v: 'c' },
      ],
      [
        { id: 1, v: 'a' },
        { id: 2, v: 'c' },
      ],
    ])
    const failed = await run('twiceFail', '--on-duplicate', 'fail')
    expect(failed.error).toContain('a row was rejected')
    expect(failed.stderr).toContain('Pass --on-duplicate first or last')
    expect(await guessedTypes()).not.toContain('twiceFail')
  })

  it('widens a type and adds properties with --infer if rows need it', async () => {
    const first = write('small.csv', 'id,n\na,1\n')
    const args = [...into('wide'), '--infer']
    expect((await runImport(first, ...args, '--as', 'n=byte')).error).toBe('')
    const second = write('larger.csv', 'id,n,on\nb,1000,31.12.2024\n')
    const { error, stderr } = await runImport(second, ...args)
    expect([error, stderr]).toEqual(['', expect.stringContaining('widened n from byte to short')])
    expect(await objectsOf('wide')).toEqual([
      { id: 'a', n: 1 },
      { id: 'b', n: 1000, on: '2024-12-31' },
    ])
  })

  it('widens whole numbers, also those of a key, when larger ones arrive', async () => {
    const args = [...into('counted'), '--infer']
    expect((await runImport(write('few.csv', 'id,n\n1,2\n'), ...args)).error).toBe('')
    expect(await objectsOf('counted')).toEqual([{ id: 1, n: 2 }])
    const more = write('more.csv', 'id,n\n5000000000,6000000000\n')
    const { error, stderr } = await runImport(more, ...args)
    expect([error, stderr]).toEqual(['', expect.stringContaining('from integer to long')])
    expect(await objectsOf('counted')).toEqual([
      { id: '1', n: '2' },
      { id: '5000000000', n: '6000000000' },
    ])
  })

  it('names the option that would read a rejected value', async () => {
    const definition =
      '{"apiName":"strict","objectTypes":[{"apiName":"t","primaryKey":"id","properties":{"id":{"type":"string"},"n":{"type":"double"},"on":{"type":"date"}}}]}'
    await service.apply(JSON.parse(definition))
    for (const [content, advice] of [
      ['id,n\na,"1,5"\n', 'pass --decimal-comma'],
      ['id,n\na,NA\n', 'Pass --null NA'],
      ['id,on\na,31.12.2024\n', 'Pass --date-format DD.MM.YYYY'],
      ['id,on\na,1700000000\n', 'Pass --date-format epoch'],
    ] as const) {
      const path = write('strict.csv', content)
      const { stderr } = await runImport(path, '--ontology', 'strict', '--type', 't')
      expect(stderr).toContain(advice)
    }
  })
})
