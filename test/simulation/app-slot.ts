/**
 * One HTTP application for many services. Building an application takes as long as a whole seed, and
 * it holds no state of its own: all state is in the services that it was built with. So a restart
 * exchanges the services behind it, and leaves the routes as they are.
 */
import type { App } from '../../src/http/app.ts'
import { type AppOptions, buildApp } from '../../src/http/build-app.ts'
import type { GivenServices } from '../../src/http/services.ts'

export class AppSlot {
  #app: App | undefined
  #services: GivenServices | undefined

  /** Puts services behind the application, which the first ones build. */
  async use(services: GivenServices, options: AppOptions): Promise<App> {
    this.#services = services
    this.#app ??= await buildApp(this.#forwarding(services), options)
    return this.#app
  }

  /** Takes the services away; a request would fail now. */
  release(): void {
    this.#services = undefined
  }

  async close(): Promise<void> {
    await this.#app?.close()
  }

  /** Returns services that pass everything on to the current ones. */
  #forwarding(first: GivenServices): GivenServices {
    const members = Object.entries(first).map(([name, value]) => {
      const current = () => this.#current()[name as keyof GivenServices]
      if (typeof value === 'function') {
        return [
          name,
          (...args: unknown[]) => (current() as (...args: unknown[]) => unknown)(...args),
        ]
      }
      return [name, typeof value === 'object' && value !== null ? forward(current) : value]
    })
    return Object.fromEntries(members) as GivenServices
  }

  #current(): GivenServices {
    if (this.#services === undefined) throw new Error('the node is stopped')
    return this.#services
  }
}

/** Returns an object whose members are those of another one at the time they are read. */
function forward(current: () => unknown): object {
  return new Proxy(
    {},
    {
      get: (_, name) => {
        const target = current() as object
        const value: unknown = Reflect.get(target, name, target)
        return typeof value === 'function' ? value.bind(target) : value
      },
    },
  )
}
