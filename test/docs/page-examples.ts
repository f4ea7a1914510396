/**
 * Runs the fenced examples of a Markdown page in one shell, block after block. A `sh` block is run;
 * the block after it, in the same section, is its output. A block whose info string names a file
 * (`json library.json`) is written to that file.
 */

import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { OQS, RELEASED_OQS } from '../support/oqs-process.ts'

interface Block {
  /** The line of the opening fence, from 1. */
  readonly line: number
  readonly language: string
  readonly file: string | undefined
  readonly text: string
  readonly section: number
}

export interface Example {
  readonly line: number
  readonly script: string
  /** The output that the page shows, if it shows one. */
  readonly output: Block | undefined
  /** Files that the page defines before this example. */
  readonly files: readonly { readonly name: string; readonly text: string }[]
}

/** Languages of blocks that are compared with the output of the command before them. */
const OUTPUTS = ['json', 'ndjson', 'csv', 'text', 'http']

/** Returns the examples of a page; throws if a block is neither run, nor compared, nor a file. */
export function readExamples(path: string): Example[] {
  const examples: Example[] = []
  let files: Example['files'] = []
  let command: Block | undefined
  const close = (output?: Block) => {
    if (command === undefined) return
    examples.push({ line: command.line, script: command.text, output, files })
    files = []
    command = undefined
  }
  for (const block of readBlocks(readFileSync(path, 'utf8'))) {
    if (block.language === 'sh') {
      close()
      command = block
    } else if (block.file !== undefined) {
      close()
      files = [...files, { name: block.file, text: block.text }]
    } else if (OUTPUTS.includes(block.language)) {
      if (command === undefined || command.section !== block.section) {
        throw new Error(`${path}:${block.line}: a ${block.language} block without a command`)
      }
      close(block)
    }
  }
  close()
  return examples
}

function readBlocks(page: string): Block[] {
  const blocks: Block[] = []
  let open: { line: number; info: string; lines: string[] } | undefined
  let section = 0
  for (const [index, text] of page.split('\n').entries()) {
    if (open === undefined) {
      if (/^#+ /.test(text)) section += 1
      const [, info] = /^```(.*)$/.exec(text) ?? []
      if (info !== undefined) open = { line: index + 1, info, lines: [] }
    } else if (text === '```') {
      const [language = '', file] = open.info.trim().split(' ')
      const body = open.lines.map((line) => `${line}\n`).join('')
      blocks.push({ line: open.line, language, file, text: body, section })
      open = undefined
    } else {
      open.lines.push(text)
    }
  }
  return blocks
}

export interface ShellOptions {
  /** A new folder, which the commands run in. */
  readonly folder: string
  /** Commands that run before the first example. */
  readonly prelude: string
  readonly env: Readonly<Record<string, string>>
}

export interface Run {
  readonly example: Example
  readonly stdout: string
}

/** Runs the examples one after the other in one shell; throws at the first command that fails. */
export async function runExamples(
  path: string,
  examples: readonly Example[],
  { folder, prelude, env }: ShellOptions,
): Promise<Run[]> {
  const outputs = join(folder, '.outputs')
  mkdirSync(outputs)
  // Readers run the commands in a checkout.
  symlinkSync(resolve('docs'), join(folder, 'docs'))
  installPackages(folder)
  const outputOf = (index: number) => join(outputs, String(index))
  const script = examples.flatMap(({ script: commands, files }, index) => [
    ...files.map(({ name, text }) => `cat > '${name}' <<'END_OF_FILE'\n${text}END_OF_FILE`),
    `{\n${commands}} > '${outputOf(index)}'`,
  ])
  const program = RELEASED_OQS === undefined ? `node '${OQS}'` : `'${RELEASED_OQS}'`
  const npx = `npx() { if [ "$1" = oqs ]; then shift; ${program} "$@"; else "$@"; fi; }`
  const shell = ['set -euo pipefail', npx, prelude, ...script].join('\n')
  const PATH = `${dirname(process.execPath)}:${process.env['PATH']}`
  try {
    await promisify(execFile)('bash', ['--norc', '-c', shell], {
      cwd: folder,
      env: { ...env, PATH },
    })
  } catch (error) {
    const started = examples.findLast((_, index) => existsSync(outputOf(index)))
    throw new Error(`${path}:${started?.line}: ${(error as { stderr: string }).stderr}`)
  }
  return examples.map((example, index) => ({
    example,
    stdout: readFileSync(outputOf(index), 'utf8'),
  }))
}

/** Installs what programs of the examples import: the client, from its source, and SDKs. */
function installPackages(folder: string): void {
  const own = join(folder, 'node_modules/@object-query-service')
  mkdirSync(own, { recursive: true })
  symlinkSync(resolve('src/client'), join(own, 'client'))
  symlinkSync(resolve('node_modules/@osdk'), join(folder, 'node_modules/@osdk'))
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
}

/** Imports a program that a page defines from a new folder, with the packages that it imports. */
export async function importProgram(path: string, file: string, folder: string): Promise<unknown> {
  const block = readBlocks(readFileSync(path, 'utf8')).find((one) => one.file === file)
  if (block === undefined) throw new Error(`${path} does not define ${file}`)
  installPackages(folder)
  writeFileSync(join(folder, file), block.text)
  return import(pathToFileURL(join(folder, file)).href)
}

/** Writes the shell variables of the README for one service. */
export function preludeFor(readme: string, url: string, token: string): string {
  const block = readBlocks(readme).find(({ text }) => text.includes('oqs_...'))
  if (block === undefined) throw new Error('README.md does not set TOKEN')
  return block.text.replace('oqs_...', token).replace('http://127.0.0.1:8080', url)
}
