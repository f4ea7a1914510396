import { type Command, CommanderError } from 'commander'
import { describe, expect, it } from 'vitest'
import { buildProgram } from './program.ts'

/** Returns what the program prints to standard error for invalid args. */
async function usageErrorOf(args: readonly string[]): Promise<string> {
  const program = await buildProgram(args)
  let printed = ''
  const capture = (command: Command) => {
    command.configureOutput({
      writeErr: (text) => {
        printed += text
      },
    })
    command.commands.forEach(capture)
  }
  capture(program)
  const error = await program.parseAsync(args, { from: 'user' }).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(CommanderError)
  return printed
}

const airport = ['--ontology', 'aviation', '--type', 'airport']

describe('wrong usage', () => {
  it.each<[message: RegExp, args: string[]]>([
    [/required option '--ontology <name>' not specified/, ['list', '--type', 'airport']],
    [/unknown option '--wher'\n\(Did you mean --where\?\)/, ['list', ...airport, '--wher', 'x']],
    [/must be PROPERTY\.OPERATOR=VALUE/, ['list', ...airport, '--where', 'x']],
    [/whole number of at least 1/, ['list', ...airport, '--page-size', '0']],
    [/cannot be used with/, ['list', ...airport, '--json', '--table']],
    [/contains an empty name/, ['list', ...airport, '--select', 'a,,b']],
    [/must start with http/, ['list', ...airport, '--url', 'localhost:8080']],
    [/It is empty/, ['list', '--ontology', '', '--type', 'airport']],
    [/It is not JSON/, ['search', ...airport, '--query', '{']],
    [/required option '--query <json>' not specified/, ['search', ...airport]],
    [/either '--ontology <name>' or '--family <name>'/, ['search', '--type', 'airport']],
    [/'--order' and '--select' cannot/, ['search', '--family', 'f', '--type', 'x', '--order', 'y']],
    [/'--resume' requires '--output <file>'/, ['export', ...airport, '--resume']],
    [/Allowed choices are ndjson, csv/, ['export', ...airport, '--format', 'xml']],
    [/must be PROPERTY\.OPERATOR=VALUE/, ['export', ...airport, '--where', 'countryCode=CH']],
    [/It is not JSON/, ['list', ...airport, '--where', '{countryCode']],
    [/missing required argument 'key'/, ['get', ...airport]],
    [/missing required argument 'path'/, ['ontology', 'apply']],
    [/required option '--name <name>' not specified/, ['token', 'create']],
    [/Allowed scopes are/, ['token', 'create', '--name', 'x', '--scope', 'all']],
    [/missing required argument 'idOrName'/, ['token', 'revoke']],
    [/required option '--name <name>' not specified/, ['client', 'create']],
    [
      /this machine only/,
      ['client', 'create', '--name', 'x', '--redirect-uri', 'http://a.example/'],
    ],
    [/Allowed scopes are/, ['client', 'create', '--name', 'x', '--scope', 'all']],
    [/above 0/, ['client', 'create', '--name', 'x', '--days', '0']],
    [/missing required argument 'idOrName'/, ['client', 'revoke']],
    [/Allowed choices are bash, zsh, fish/, ['completion', 'tcsh']],
    [/Did you mean export\?/, ['exprot']],
  ])('prints %s', async (message, args) => {
    const printed = await usageErrorOf(args)
    expect(printed).toMatch(/^error: /)
    expect(printed).toMatch(message)
    expect(printed).toMatch(/\(add --help for usage\)\n$/)
  })
})

describe('help', () => {
  it('exists for every command, loaded alone or with all others', async () => {
    const all = commandsOf(await buildProgram())
    expect(all.length).toBeGreaterThan(13)
    for (const path of all) {
      const alone = find(await buildProgram(path), path)
      expect(alone.helpInformation()).toMatch(new RegExp(`^Usage: oqs ${path.join(' ')}`))
    }
  })
})

function commandsOf(command: Command, path: readonly string[] = []): (readonly string[])[] {
  const children = command.commands.flatMap((child) => commandsOf(child, [...path, child.name()]))
  return path.length === 0 ? children : [path, ...children]
}

function find(program: Command, path: readonly string[]): Command {
  return path.reduce((command, name) => {
    const child = command.commands.find((one) => one.name() === name)
    if (child === undefined) throw new Error(`no command ${path.join(' ')}`)
    return child
  }, program)
}
