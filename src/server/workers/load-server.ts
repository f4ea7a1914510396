/** Loads the web server: neither a supervisor nor a command that rejects its settings needs it. */
export async function loadServer() {
  const [{ startServer }, { explorerOpener }] = await Promise.all([
    import('../server.ts'),
    import('../explorer/open-explorer.ts'),
  ])
  return { startServer, explorerOpener }
}
