import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { lineOf, startOqs } from '../support/oqs-process.ts'
import { tempFolder } from '../support/temp-folder.ts'

const readme = readFileSync('README.md', 'utf8')
const scripts = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].map((match) => match[1] ?? '')

describe('the README', () => {
  it('names the two commands that the package has', () => {
    const { scripts: commands } = JSON.parse(readFileSync('package.json', 'utf8'))
    expect(readme).toContain('npm ci && npm start')
    expect(readme).toContain('npm ci && npm test')
    expect(commands).toHaveProperty('start')
    expect(commands).toHaveProperty('test')
  })

  it('has commands that work, each after the other, in one shell', async () => {
    using folder = tempFolder()
    const settings = { OQS_PORT: '0', OQS_STORE: `sqlite:${join(folder.path, 'oqs.db')}` }
    await using oqs = startOqs(['serve', '--demo'], settings)
    const url = await lineOf(oqs, 'listening on ')
    const token = await lineOf(oqs, 'token ')
    const script = scripts
      .join('\n')
      .replace('oqs_...', token)
      .replace('http://127.0.0.1:8080', url)
      // The service ends its answers without a line end, so one goes between.
      .replaceAll(/\n(curl|npx oqs) /g, '\necho; $1 ')
      .replaceAll('npx oqs', `node '${resolve('bin/oqs.js')}'`)
    const shell = `set -euo pipefail\n${script}\n`
    const env = { PATH: `${dirname(process.execPath)}:${process.env['PATH']}` }
    const { stdout } = await promisify(execFile)('bash', ['-c', shell], { env, cwd: folder.path })

    const answers = stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line))
    const [first, second, search, book, batch] = answers
    expect(answers).toHaveLength(5)
    expect(first.data).toHaveLength(3)
    expect(second.data).toHaveLength(3)
    expect(second.data).not.toEqual(first.data)
    expect(search.data[0].primaryKey).toBe('AAA')
    expect(book.properties.title).toBe('Refactoring')
    expect(readFileSync(join(folder.path, 'books-again.csv'), 'utf8')).toBe(
      readFileSync(join(folder.path, 'books.csv'), 'utf8'),
    )
    expect(batch).toEqual({ version: 2, put: 1, deleted: 1 })
  })
})
