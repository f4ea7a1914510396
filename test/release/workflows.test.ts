/** The workflows of hosted CI, which cannot run here: what they call must exist. */
import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))

/** The commands of all jobs, in order. */
function commandsOf(name: string): string[] {
  const { jobs } = parse(readFileSync(`.github/workflows/${name}.yml`, 'utf8'))
  return Object.values<{ steps: { run?: string }[] }>(jobs).flatMap(({ steps }) =>
    steps.flatMap(({ run }) => run ?? []),
  )
}

it('test every push', () => {
  expect(commandsOf('test')).toEqual(['.ci/run'])
  expect(existsSync('.ci/run')).toBe(true)
})

it('make a release only after all tests, with every file', () => {
  const commands = commandsOf('release')
  const order = ['.ci/run', 'npm run release'].map((command) => commands.indexOf(command))
  expect(order).toEqual([1, 2])
  expect(scripts.release).toBeDefined()
  expect(commands.at(-1)).toMatch(/^gh release create .* release\/\*$/)
})
