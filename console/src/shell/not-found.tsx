import { Link } from "@tanstack/react-router";
import { ApiError } from "../data/api.ts";
import { ErrorNotice } from "../ui/feedback.tsx";

/** The page of an address at which nothing is. */
export function NotFound() {
  return (
    <div className="empty">
      <h1>Nothing is here</h1>
      <p>The address may be mistyped, or what was here is gone.</p>
      <Link to="/" className="btn">
        Go home
      </Link>
    </div>
  );
}

/** True where the page's own thing is not there: gone, somebody else's, or of an address that names none. */
export function isGone(error: Error | null): boolean {
  return error instanceof ApiError && (error.status === 404 || error.status === 422);
}

/** What a page shows in the place of its thing: that nothing is here, or the error and another try. */
export function PageError({ error, retry }: { readonly error: Error; readonly retry: () => void }) {
  return isGone(error) ? <NotFound /> : <ErrorNotice error={error} retry={retry} />;
}
