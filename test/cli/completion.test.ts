import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bashCompletion } from '../../src/cli/completion/bash.ts'
import { allNodes, describeTree } from '../../src/cli/completion/command-tree.ts'
import { fishCompletion } from '../../src/cli/completion/fish.ts'
import { zshCompletion } from '../../src/cli/completion/zsh.ts'
import { buildProgram } from '../../src/cli/program.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'
import { pathWithOqs, runLine } from './shell.ts'

const tree = describeTree(await buildProgram())
const nodes = allNodes(tree)

let folder: TempFolder
beforeAll(() => {
  folder = tempFolder()
})
afterAll(() => folder[Symbol.dispose]())

describe('completion in bash', () => {
  /** Returns the completions of bash for the last word of each command line. */
  async function complete(...commandLines: string[][]): Promise<string[][]> {
    const steps = commandLines.map((words) => {
      const list = ['oqs', ...words].map((word) => `'${word}'`).join(' ')
      return `COMP_WORDS=(${list}); COMP_CWORD=${words.length}; _oqs; echo "\${COMPREPLY[*]}"`
    })
    const line = `source <(oqs completion bash); ${steps.join('; ')}`
    const path = pathWithOqs(folder.path)
    const { code, stdout, stderr } = await runLine(line, folder.path, { PATH: path })
    expect([code, stderr]).toEqual([0, ''])
    return stdout
      .trimEnd()
      .split('\n')
      .map((words) => words.split(' '))
  }

  it('completes commands, subcommands, options and their values', async () => {
    const completions = await complete(
      ['se'],
      ['token', ''],
      ['token', 'create', '--na'],
      ['export', '--format', ''],
      ['export', '--type', 'token', '--fo'],
      ['completion', 'f'],
      ['list', '--max'],
    )
    expect(completions).toEqual([
      ['serve', 'search'],
      ['create', 'list', 'revoke', '--help'],
      ['--name'],
      ['ndjson', 'csv', 'parquet', 'arrow', 'xlsx'],
      ['--format'],
      ['fish'],
      ['--max-pages'],
    ])
  })
})

describe('completion of npx in bash', () => {
  it('completes oqs, and leaves other commands alone', async () => {
    const step = (words: string) =>
      `COMP_WORDS=(npx ${words}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); COMPREPLY=(); _npx_oqs; echo "[\${COMPREPLY[*]}]"`
    const line = `source <(oqs completion bash); ${step('oqs token cr')}; ${step('vitest se')}`
    const path = pathWithOqs(folder.path)
    const { code, stdout } = await runLine(line, folder.path, { PATH: path })
    expect([code, stdout]).toEqual([0, '[create]\n[]\n'])
  })
})

describe('completion scripts', () => {
  it('contain every command and option', () => {
    for (const script of [bashCompletion(tree), zshCompletion(tree), fishCompletion(tree)]) {
      for (const { path, options } of nodes) {
        for (const word of path.split(' ')) expect(script).toContain(word)
        for (const { flag } of options) expect(script).toContain(flag.replace(/^--/, ''))
      }
    }
  })

  it('have a zsh function for each command, with balanced quotes', () => {
    const script = zshCompletion(tree)
    const names = [...script.matchAll(/^(_oqs\w*)\(\) \{$/gm)].map((match) => match[1])
    expect(names).toEqual(nodes.map(({ path }) => `_oqs ${path}`.trim().replaceAll(' ', '_')))
    // The function that asks for names is the last one.
    expect(script.match(/^\}$/gm)).toHaveLength(names.length + 1)
    // A description with an unescaped apostrophe would leave a quote open.
    for (const line of script.split('\n')) expect((line.match(/'/g) ?? []).length % 2).toBe(0)
  })

  it('have fish lines with balanced quotes', () => {
    const lines = fishCompletion(tree)
      .split('\n')
      .filter((line) => line.startsWith('complete'))
    expect(lines.length).toBeGreaterThan(nodes.length)
    for (const line of lines) {
      expect((line.replaceAll("\\'", '').match(/'/g) ?? []).length % 2).toBe(0)
    }
  })
})
