import type { Command } from 'commander'
import type { Setting } from '../../server/settings.ts'
import { printMessage, writeRows } from '../output.ts'
import { addExamples } from '../service-options.ts'

export function addConfigCommand(program: Command): void {
  const config = program
    .command('config')
    .description('Show every setting with its value and source. Fails if a value is invalid.')
  addExamples(config, 'oqs config', 'OQS_PORT=9090 oqs config').action(async () => {
    const [
      { ConfigError, describeMistake, effectiveSettings, readConfig },
      { misspeltSettings },
      { describeMemoryMistake },
      { displayText, SETTINGS },
    ] = await Promise.all([
      import('../../server/config.ts'),
      import('../../server/misspelt-settings.ts'),
      import('../../server/memory-settings.ts'),
      import('../../server/settings.ts'),
    ])
    const settings = effectiveSettings(process.env)
    const invalid = settings.flatMap((one) => describeMistake(one) ?? [])
    // Valid values may still contradict each other.
    const contradiction =
      invalid.length > 0 ? undefined : describeMemoryMistake(readConfig(process.env))
    const mistakes = contradiction === undefined ? invalid : [contradiction]
    // Set now, because a reader such as head may end the process early.
    if (mistakes.length > 0) process.exitCode = 1
    const rows = settings.map((one) => {
      const { name, text, source } = one
      const setting: Setting<unknown> = SETTINGS[name]
      const value = text === undefined ? '' : displayText(setting, text)
      const check =
        describeMistake(one) === undefined ? 'ok' : `invalid: must be ${setting.allowed}`
      return { setting: name, value, source, check, meaning: setting.meaning }
    })
    await writeRows(rows)
    for (const { name, meant } of misspeltSettings(process.env)) {
      printMessage(`${name} is set, but is not a setting. Did you mean ${meant}?`)
    }
    // Last, so that the mistakes stand below the table.
    if (mistakes.length > 0) throw new ConfigError(mistakes.join('; '))
  })
}
