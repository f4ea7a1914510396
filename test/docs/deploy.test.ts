/** The files in `deploy/`, checked against what the service needs. */
import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { cacheFolder } from '../../scripts/release/launcher/unpack.ts'
import { SETTINGS } from '../../src/server/settings.ts'
import { startService } from '../support/service.ts'

const FILES = globSync('deploy/**/*.*').concat('deploy/Dockerfile', 'deploy/Caddyfile')
const read = (path: string) => readFileSync(path, 'utf8')
const PORT = SETTINGS.OQS_PORT.default
/** The service stops within ten seconds. */
const STOP_SECONDS = 15

interface Container {
  readonly ports: readonly { readonly containerPort: number }[]
  readonly env: readonly { readonly name: string; readonly value: string }[]
  readonly volumeMounts: readonly { readonly mountPath: string }[]
}

describe('the deployment files', () => {
  it.each(FILES)('%s names only settings that exist', (path) => {
    const named = read(path).match(/\bOQS_[A-Z_]+/g) ?? []
    const known = new Set<string>([...Object.keys(SETTINGS), 'OQS_CONFIG'])
    expect(named.filter((name) => !known.has(name))).toEqual([])
  })

  it('use the port of the service', () => {
    const [deployment] = kubernetes()
    const ports = [
      ...read('deploy/Dockerfile').matchAll(/EXPOSE (\d+)|127\.0\.0\.1:(\d+)/g),
      ...read('deploy/nginx.conf').matchAll(/server node\d:(\d+)/g),
      ...read('deploy/Caddyfile').matchAll(/node\d:(\d+)/g),
      ...read('docs/operations/prometheus.yml').matchAll(/node\d:(\d+)/g),
    ].map(([, first, second]) => first ?? second)
    expect(ports).toHaveLength(8)
    expect(new Set([...ports, String(containerOf(deployment).ports[0]?.containerPort)])).toEqual(
      new Set([PORT]),
    )
  })

  it('probe paths that answer without a token', async () => {
    await using service = await startService()
    const probed = FILES.flatMap((path) => read(path).match(/\/(?:readyz|healthz)\b/g) ?? [])
    expect(new Set(probed)).toEqual(new Set(['/readyz', '/healthz']))
    for (const path of new Set(probed)) {
      expect((await service.send(path, { token: null })).status).toBe(200)
    }
  })

  it('wait for the service to stop', () => {
    const [deployment] = kubernetes()
    const seconds = [
      /TimeoutStopSec=(\d+)/.exec(read('deploy/oqs.service'))?.[1],
      /stop_grace_period: (\d+)s/.exec(read('deploy/compose.yaml'))?.[1],
      deployment?.spec.template.spec.terminationGracePeriodSeconds,
    ].map(Number)
    for (const wait of seconds) expect(wait).toBeGreaterThanOrEqual(STOP_SECONDS)
  })

  it('set values that the service accepts', () => {
    const [deployment] = kubernetes()
    for (const { name, value } of containerOf(deployment).env) {
      expect(SETTINGS[name as keyof typeof SETTINGS].parse(value), name).toBeDefined()
    }
    const { services } = parse(read('deploy/compose.yaml')) as {
      readonly services: Record<string, { readonly environment?: Record<string, string> }>
    }
    const proxies = services['node1']?.environment?.['OQS_TRUSTED_PROXIES'] ?? ''
    expect(SETTINGS.OQS_TRUSTED_PROXIES.parse(proxies)).toBeDefined()
  })

  it('mount the folders in which the service writes', () => {
    const [deployment] = kubernetes()
    const mounts = containerOf(deployment).volumeMounts.map(({ mountPath }) => mountPath)
    expect(mounts).toEqual(['/tmp', '/data'])
    expect(read('deploy/Dockerfile')).toMatch(/^WORKDIR \/data$/m)
  })

  it('start an installed release, which unpacks its files where it may write', () => {
    const unit = read('deploy/oqs.service')
    const { bin } = JSON.parse(read('package.json'))
    const [, program = ''] = /^ExecStart=(\S+) serve$/m.exec(unit) ?? []
    expect(Object.keys(bin)).toContain(program)
    const [, folder] = /^CacheDirectory=(\S+)$/m.exec(unit) ?? []
    const [, XDG_CACHE_HOME] = /XDG_CACHE_HOME=(\S+)$/m.exec(unit) ?? []
    expect(cacheFolder({ XDG_CACHE_HOME })).toBe(`/var/cache/${folder}`)
    expect(unit).toMatch(/^ProtectSystem=strict$/m)
  })

  it('confine the service to what it needs', () => {
    const unit = read('deploy/oqs.service')
    const enabled = [...unit.matchAll(/^((?:No|Private|Protect|Restrict)\w+)=yes$/gm)].map(
      ([, name]) => name,
    )
    expect(enabled).toEqual(
      expect.arrayContaining([
        ...['NoNewPrivileges', 'PrivateDevices', 'PrivateTmp', 'PrivateUsers', 'ProtectClock'],
        ...['ProtectControlGroups', 'ProtectHome', 'ProtectKernelLogs', 'ProtectKernelModules'],
        ...['ProtectKernelTunables', 'RestrictNamespaces', 'RestrictRealtime', 'RestrictSUIDSGID'],
      ]),
    )
    expect(unit).toMatch(/^CapabilityBoundingSet=$/m)
    expect(unit).toMatch(/^SystemCallFilter=~@privileged @resources$/m)
    // V8 compiles code, threads lower their priority, and processes talk over sockets.
    expect(unit).not.toMatch(/^MemoryDenyWriteExecute=yes$/m)
    expect(unit).toMatch(/^SystemCallFilter=setpriority$/m)
    expect(unit).toMatch(/^RestrictAddressFamilies=.*\bAF_UNIX$/m)
  })

  it('pass everything through nginx, for a whole host and under a path', () => {
    const [, ofPath = ''] =
      /```nginx nginx.conf\n([\s\S]*?)```/.exec(read('docs/how-to/production.md')) ?? []
    const directives = (text: string) =>
      text
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => /^(?:client_|proxy_(?!pass|next)|default|"" ).*;$/.test(line))
        .sort()
    expect(directives(ofPath)).toEqual(directives(read('deploy/nginx.conf')))
    expect(directives(ofPath)).toHaveLength(11)
  })

  it('run each node on a machine of its own, with bounded folders and known traffic', () => {
    const [deployment, service, , policy] = kubernetes()
    const { affinity, volumes, containers } = deployment?.spec.template.spec ?? {}
    const [{ podAffinityTerm }] =
      affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution
    expect(podAffinityTerm).toEqual({
      topologyKey: 'kubernetes.io/hostname',
      labelSelector: { matchLabels: service?.spec.selector },
    })
    for (const { emptyDir } of volumes) expect(emptyDir.sizeLimit).toMatch(/^\d+[MG]i$/)
    expect(policy?.spec.podSelector.matchLabels).toEqual(service?.spec.selector)
    const [{ ports }] = policy?.spec.ingress ?? []
    expect(ports).toEqual([{ port: containers[0].ports[0].name }])
    expect(policy?.spec.policyTypes).toEqual(['Ingress', 'Egress'])
  })

  it('have the same labels in the deployment, its service and its disruption budget', () => {
    const [deployment, service, budget] = kubernetes()
    const { labels } = deployment?.spec.template.metadata ?? {}
    expect(labels).toBeDefined()
    for (const selector of [
      deployment?.spec.selector.matchLabels,
      service?.spec.selector,
      budget?.spec.selector.matchLabels,
    ]) {
      expect(selector).toEqual(labels)
    }
  })
})

interface Manifest {
  // biome-ignore lint/suspicious/noExplicitAny: manifests of several kinds
  readonly spec: any
}

function kubernetes(): readonly Manifest[] {
  return parseAllDocuments(read('deploy/kubernetes/oqs.yaml')).map(
    (document) => document.toJS() as Manifest,
  )
}

function containerOf(manifest: Manifest | undefined): Container {
  return manifest?.spec.template.spec.containers[0] as Container
}
