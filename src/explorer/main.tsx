/** Starts the explorer. */
import './ui/tokens.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { makeQueryClient } from './api/service.ts'
import { router } from './router.tsx'
import { SessionProvider, takeArrival } from './session/session.tsx'
import { applyTheme, readTheme } from './shell/header.tsx'

applyTheme(readTheme())
const code = takeArrival()
const root = document.getElementById('root')
if (root === null) throw new Error('The page has no element for the explorer.')
createRoot(root).render(
  <StrictMode>
    <SessionProvider code={code}>
      <QueryClientProvider client={makeQueryClient()}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </SessionProvider>
  </StrictMode>,
)
