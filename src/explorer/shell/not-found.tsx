import { Link } from '@tanstack/react-router'

export function NotFound() {
  return (
    <p className="py-12 px-6 text-muted">
      There is nothing at this address. <Link to="/">See what there is.</Link>
    </p>
  )
}
