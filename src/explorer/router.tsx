/** The addresses of the explorer. */
import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router'
import { BASE_PATH } from './api/base-path.ts'
import { HomeScreen } from './home/home-screen.tsx'
import { ObjectScreen } from './object/object-screen.tsx'
import { NotFound } from './shell/not-found.tsx'
import { Shell } from './shell/shell.tsx'
import { LinkedScreen } from './table/linked-screen.tsx'
import { TypeScreen } from './table/type-screen.tsx'
import { lazyView } from './ui/lazy-part.tsx'
import { ViewError } from './ui/view-error.tsx'
import { parseSearch, type SearchRecord, stringifySearch } from './view/search-record.ts'

const rootRoute = createRootRoute({ component: Shell, notFoundComponent: NotFound })

const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  component: HomeScreen,
})

const ontologyRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/o/$ontology',
  component: HomeScreen,
})

const typeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/o/$ontology/$type',
  component: TypeScreen,
})

const objectRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/o/$ontology/$type/$key',
  component: ObjectScreen,
})

const linkRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/o/$ontology/$type/$key/$link',
  component: LinkedScreen,
})

// Loaded when it is first opened: most people never administer.
const adminRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/admin',
  component: lazyView('admin', async () => (await import('./admin/admin-screen.tsx')).AdminScreen),
})

const healthRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: '/',
  component: lazyView(
    'health',
    async () => (await import('./admin/health-screen.tsx')).HealthScreen,
  ),
})

const tokensRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: '/tokens',
  component: lazyView(
    'tokens',
    async () => (await import('./admin/tokens-screen.tsx')).TokensScreen,
  ),
})

const clientsRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: '/clients',
  component: lazyView(
    'clients',
    async () => (await import('./admin/clients-screen.tsx')).ClientsScreen,
  ),
})

export const router = createRouter({
  basepath: `${BASE_PATH}/`,
  routeTree: rootRoute.addChildren([
    homeRoute,
    ontologyRoute,
    typeRoute,
    objectRoute,
    linkRoute,
    adminRoute.addChildren([healthRoute, tokensRoute, clientsRoute]),
  ]),
  // Below the header, where the view would be.
  defaultErrorComponent: ViewError,
  parseSearch,
  stringifySearch: (search) => stringifySearch(search as SearchRecord),
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
