import { type Command, CommanderError } from 'commander'
import { describe, expect, it } from 'vitest'
import { buildProgram } from './program.ts'

/** What the program says about words that are wrong. */
async function complaintAbout(words: readonly string[]): Promise<string> {
  const program = buildProgram()
  let said = ''
  const listen = (command: Command) => {
    command.configureOutput({
      writeErr: (text) => {
        said += text
      },
    })
    command.commands.forEach(listen)
  }
  listen(program)
  const error = await program.parseAsync(words, { from: 'user' }).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(CommanderError)
  return said
}

const airport = ['--ontology', 'aviation', '--type', 'airport']

describe('wrong usage', () => {
  it.each<[complaint: RegExp, words: string[]]>([
    [/required option '--ontology <name>' not specified/, ['list', '--type', 'airport']],
    [/unknown option '--wher'\n\(Did you mean --where\?\)/, ['list', ...airport, '--wher', 'x']],
    [/written PROPERTY\.OPERATOR=VALUE/, ['list', ...airport, '--where', 'x']],
    [/whole number from 1 up/, ['list', ...airport, '--page-size', '0']],
    [/cannot be used with/, ['list', ...airport, '--json', '--table']],
    [/There is an empty name/, ['list', ...airport, '--select', 'a,,b']],
    [/must begin with http/, ['list', ...airport, '--url', 'localhost:8080']],
    [/It is empty/, ['list', '--ontology', '', '--type', 'airport']],
    [/It is not JSON/, ['search', ...airport, '--query', '{']],
    [/'--query <json>' is missing/, ['search', ...airport]],
    [/--ontology or with --family/, ['search', '--type', 'airport']],
    [/neither --order nor --select/, ['search', '--family', 'f', '--type', 'x', '--order', 'y']],
    [/'--resume' needs '--output <file>'/, ['export', ...airport, '--resume']],
    [/Allowed choices are ndjson, csv/, ['export', ...airport, '--format', 'xml']],
    [/It is not JSON/, ['export', ...airport, '--where', 'countryCode=CH']],
    [/missing required argument 'key'/, ['get', ...airport]],
    [/missing required argument 'file'/, ['ontology', 'apply']],
    [/Allowed choices are bash, zsh, fish/, ['completion', 'tcsh']],
    [/Did you mean export\?/, ['exprot']],
  ])('says %s', async (complaint, words) => {
    const said = await complaintAbout(words)
    expect(said).toMatch(/^error: /)
    expect(said).toMatch(complaint)
    expect(said).toMatch(/\(--help explains\)\n$/)
  })
})
