/** The addresses of the explorer. */
import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router'
import type { FunctionComponent } from 'react'
import { BASE_PATH } from './api/base-path.ts'
import { NotFound, Shell } from './shell/shell.tsx'
import { LinkedScreen, TypeScreen } from './table/type-screen.tsx'
import { ViewError } from './ui/controls.tsx'
import { lazyView } from './ui/lazy-part.tsx'
import { searchText } from './view/view-state.ts'

const rootRoute = createRootRoute({ component: Shell, notFoundComponent: NotFound })

const screen = <const Path extends string>(path: Path, component: FunctionComponent) =>
  createRoute({ getParentRoute: () => rootRoute, path, component })

// Loaded when they are first opened: they draw maps and pictures, whose code would delay every table.
const HomeScreen = lazyView('home', async () => (await import('./home/home-screen.tsx')).HomeScreen)
const ObjectScreen = lazyView(
  'object',
  async () => (await import('./object/object-page.tsx')).ObjectScreen,
)

const DashboardScreen = lazyView(
  'dashboard',
  async () => (await import('./dashboards/dashboard-screen.tsx')).DashboardScreen,
)

// Loaded when it is first opened: most people never administer.
const adminRoute = screen(
  '/admin',
  lazyView('admin', async () => (await import('./admin/admin-screen.tsx')).AdminScreen),
)

const adminScreen = <const Path extends string>(path: Path, component: FunctionComponent) =>
  createRoute({ getParentRoute: () => adminRoute, path, component })

export const router = createRouter({
  basepath: `${BASE_PATH}/`,
  routeTree: rootRoute.addChildren([
    screen('/', HomeScreen),
    screen('/o/$ontology', HomeScreen),
    screen('/o/$ontology/$type', TypeScreen),
    screen('/o/$ontology/$type/$key', ObjectScreen),
    screen('/o/$ontology/$type/$key/$link', LinkedScreen),
    screen('/dashboards/$ontology/$id', DashboardScreen),
    adminRoute.addChildren([
      adminScreen(
        '/',
        lazyView('health', async () => (await import('./admin/health-screen.tsx')).HealthScreen),
      ),
      adminScreen(
        '/tokens',
        lazyView(
          'tokens',
          async () => (await import('./admin/credential-screen.tsx')).TokensScreen,
        ),
      ),
      adminScreen(
        '/clients',
        lazyView(
          'clients',
          async () => (await import('./admin/credential-screen.tsx')).ClientsScreen,
        ),
      ),
    ]),
  ]),
  // Below the header, where the view would be.
  defaultErrorComponent: ViewError,
  // Views read and write the query string themselves; here it only becomes readable.
  parseSearch: (text) => (text === '' ? {} : { text }),
  stringifySearch: ({ text = '' }) => searchText(new URLSearchParams(String(text))),
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
