/** Returns a function that computes a constant when it is first called, and then keeps it. */
export function onFirstUse<T extends object>(compute: () => T): () => T {
  let value: T | undefined
  return () => {
    value ??= compute()
    return value
  }
}
