/** The addresses of the explorer. */
import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router'
import { HomeScreen } from './home/home-screen.tsx'
import { ObjectScreen } from './object/object-screen.tsx'
import { NotFound } from './shell/not-found.tsx'
import { Shell } from './shell/shell.tsx'
import { TypeScreen } from './table/type-screen.tsx'

const rootRoute = createRootRoute({ component: Shell, notFoundComponent: NotFound })

export const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  component: HomeScreen,
})

export const ontologyRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/o/$ontology',
  component: HomeScreen,
})

export const typeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/o/$ontology/$type',
  component: TypeScreen,
})

export const objectRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/o/$ontology/$type/$key',
  component: ObjectScreen,
})

export type SearchRecord = Readonly<Record<string, readonly string[]>>

export const router = createRouter({
  routeTree: rootRoute.addChildren([homeRoute, ontologyRoute, typeRoute, objectRoute]),
  parseSearch: (text): SearchRecord => {
    const search = new URLSearchParams(text)
    return Object.fromEntries(
      [...new Set(search.keys())].map((name) => [name, search.getAll(name)]),
    )
  },
  stringifySearch: (search) => {
    const parts = Object.entries(search as SearchRecord).flatMap(([name, values]) =>
      values.map((value) => `${name}=${readable(value)}`),
    )
    return parts.length === 0 ? '' : `?${parts.join('&')}`
  },
})

/** Leaves the separators of our own syntax readable; they are legal in a query string. */
function readable(value: string): string {
  return encodeURIComponent(value).replaceAll(/%3A|%2C|%2F/g, decodeURIComponent)
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
