/** A bar for a share from 0 to 1, which a text beside it states as well. */
export function ShareBar({ share }: { readonly share: number }) {
  return (
    <svg className="block w-full max-w-60 h-0.75 mt-1.5" aria-hidden="true" focusable="false">
      <rect className="fill-raised" width="100%" height="100%" rx="1.5" />
      <rect className="fill-accent" width={`${100 * share}%`} height="100%" rx="1.5" />
    </svg>
  )
}
