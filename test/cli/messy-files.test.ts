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

async function objectsOf(type: string): Promise<unknown[]> {
  const { text } = await service.send(`/api/admin/v1/ontologies/messy/objects/${type}/export`)
  const lines = text.trimEnd().split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line))
}

function rowOf({ name, what, options }: MessyFile, guess: string): string {
  const given = options.length === 0 ? '' : ` \`${options.join(' ')}\``
  return `| \`${name}\` | ${what} |${given} | ${guess} |`
}

const page = readFileSync(new URL('../../docs/guesses.md', import.meta.url), 'utf8')

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
    const { text } = await service.send('/api/admin/v1/ontologies/messy')
    const { objectTypes } = JSON.parse(text) as { objectTypes: GuessedType[] }
    const names = new Set(objectTypes.map(({ apiName }) => apiName))
    const latin1 = MESSY_FILES.findIndex(({ name }) => name === 'latin1.csv')
    expect([names.has(`t${latin1}`), names.has(`t${latin1}Again`)]).toEqual([false, true])
  })
})
