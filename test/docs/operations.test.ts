/** The files for Prometheus and Grafana, checked against each other and against the metrics that are served. */
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { NUMBERS, numbers } from '../support/ontologies.ts'
import { type Service, startService } from '../support/service.ts'
import { tempFolder } from '../support/temp-folder.ts'

const FOLDER = 'docs/operations'
const FILES = ['grafana-dashboard.json', 'prometheus-alerts.yml']
const read = (file: string) => readFileSync(join(FOLDER, file), 'utf8')
const { scrape_configs: jobs } = parse(read('prometheus.yml')) as {
  readonly scrape_configs: readonly { readonly job_name: string }[]
}

let service: Service
let served: string
beforeAll(async () => {
  service = await startService()
  await service.apply(NUMBERS)
  await service.put('numbers', 'number', numbers(3))
  await service.send('/api/v1/ontologies/numbers/objects/number')
  await service.send('/api/admin/v1/ontologies/numbers/transactions/shop/report', {
    method: 'PUT',
    json: {
      state: 'following',
      once: false,
      tables: 1,
      stoppedTables: [],
      lagBytes: 0,
      lagSeconds: 0,
      retainedBytes: 0,
    },
  })
  await service.send('/api/v1/ontologies/numbers/objects/number?pageToken=nonsense')
  served = (await service.send('/metrics')).text
})
afterAll(() => service[Symbol.asyncDispose]())

/** The labels of each series that is served, by the name of the metric. */
function servedLabels(): Map<string, Set<string>> {
  const labels = new Map<string, Set<string>>()
  for (const [, name = '', all = ''] of served.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const known = labels.get(name) ?? new Set<string>()
    labels.set(name, known)
    for (const [, label = ''] of all.matchAll(/(\w+)="/g)) known.add(label)
  }
  return labels
}

describe('the files for operators', () => {
  it.each(FILES)('%s names only metrics that are served, and labels that they have', (file) => {
    const labels = servedLabels()
    const text = read(file).replaceAll('\\"', '"')
    const named = [...text.matchAll(/\b((?:oqs|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)]
    expect(named.length).toBeGreaterThan(10)
    const unknown = named.flatMap(([, name = '', selector = '']) => {
      const known = labels.get(name)
      if (known === undefined) return [name]
      return [...selector.matchAll(/(\w+)(?:=|!)/g)]
        .map(([, label = '']) => label)
        .filter((label) => !known.has(label))
        .map((label) => `${name}{${label}}`)
    })
    expect(unknown).toEqual([])
  })

  it.each(FILES)('%s names the job of the scrape configuration', (file) => {
    const named = [...read(file).matchAll(/\bjob=~?\\?"([^"\\]*)/g)].map(([, job]) => job)
    expect(named.filter((name) => !jobs.some((job) => job.job_name === name))).toEqual([])
  })

  it('are valid, fire and read the metrics, according to promtool if it is installed', async () => {
    using folder = tempFolder()
    if (!(await isInstalled('promtool'))) return
    const inFolder = (name: string) => join(folder.path, name)
    const run = promisify(execFile)
    writeFileSync(inFolder('token'), '')
    writeFileSync(inFolder('prometheus-alerts.yml'), read('prometheus-alerts.yml'))
    writeFileSync(
      inFolder('prometheus.yml'),
      read('prometheus.yml').replaceAll('/etc/prometheus/oqs-token', inFolder('token')),
    )
    await run('promtool', ['check', 'config', inFolder('prometheus.yml')])

    const unitTest = readFileSync('test/docs/prometheus-alerts.test.yml', 'utf8')
      .replaceAll('RULES', resolve(FOLDER, 'prometheus-alerts.yml'))
      .replaceAll('JOB', jobs[0]?.job_name ?? '')
    writeFileSync(inFolder('test.yml'), unitTest)
    await run('promtool', ['test', 'rules', inFolder('test.yml')])

    const checking = run('promtool', ['check', 'metrics'])
    checking.child.stdin?.end(served)
    expect(await checking).toEqual({ stdout: '', stderr: '' })
  })
})

async function isInstalled(program: string): Promise<boolean> {
  return promisify(execFile)(program, ['--version']).then(
    () => true,
    () => false,
  )
}
