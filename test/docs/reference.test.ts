import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ERRORS, type ErrorName } from '../../src/contract/error-catalogue.ts'
import { statusOf } from '../../src/contract/errors.ts'
import {
  SETTING_NAMES,
  SETTINGS,
  type Setting,
  type SettingName,
} from '../../src/server/settings.ts'

const headings = (path: string) =>
  [...readFileSync(path, 'utf8').matchAll(/^### `(.+)`/gm)].map((match) => match[1] ?? '')

describe('docs/reference/errors.md', () => {
  it('has a heading for every error, and no other', () => {
    expect(headings('docs/reference/errors.md').toSorted()).toEqual(Object.keys(ERRORS).toSorted())
  })

  it('states the status and the code of each error', () => {
    const text = readFileSync('docs/reference/errors.md', 'utf8')
    for (const name of Object.keys(ERRORS) as ErrorName[]) {
      const section = text.split(`### \`${name}\``)[1]?.split('### ')[0] ?? ''
      expect(section).toContain(`${statusOf(name)} ${ERRORS[name].errorCode}`)
    }
  })
})

describe('docs/reference/settings.md', () => {
  const rows = readFileSync('docs/reference/settings.md', 'utf8')
    .split('\n')
    .filter((line) => /^\| `(?:OQS|OTEL)_/.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()))

  it('has a row for every setting, and no other', () => {
    expect(rows.map((cells) => cells[1])).toEqual(SETTING_NAMES.map((name) => `\`${name}\``))
  })

  it('states the default, the meaning and the allowed values', () => {
    for (const [, name = '', value, allowed, meaning] of rows) {
      const setting: Setting<unknown> = SETTINGS[name.replaceAll('`', '') as SettingName]
      expect([name, value]).toEqual([
        name,
        setting.default === undefined ? 'not set' : `\`${setting.default}\``,
      ])
      expect([name, allowed, meaning]).toEqual([name, setting.allowed, setting.meaning])
    }
  })
})

describe('the documents', () => {
  const documents = [...globSync('*.md'), ...globSync('docs/**/*.md')]

  it('link only to existing files', () => {
    const broken = documents.flatMap((path) =>
      [...readFileSync(path, 'utf8').matchAll(/\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g)]
        .map((match) => join(dirname(path), match[1] ?? ''))
        .filter((target) => !existsSync(target))
        .map((target) => `${path}: ${target}`),
    )
    expect(broken).toEqual([])
  })

  it('name only source and test files that exist', () => {
    const missing = documents
      .filter((path) => path !== 'CHANGELOG.md')
      .flatMap((path) =>
        [
          ...readFileSync(path, 'utf8').matchAll(
            /`((?:src|test|scripts|docs|bin)\/[\w./-]+\.\w+)`/g,
          ),
        ]
          .map((match) => match[1] ?? '')
          .filter((file) => !existsSync(file))
          .map((file) => `${path}: ${file}`),
      )
    expect(missing).toEqual([])
  })

  it('keep the README and the architecture short', () => {
    const lines = (path: string) => readFileSync(path, 'utf8').split('\n').length
    expect(lines('README.md')).toBeLessThanOrEqual(120)
    expect(lines('ARCHITECTURE.md')).toBeLessThanOrEqual(150)
  })
})
