import { Link } from "@tanstack/react-router";
import { ApiError } from "../data/api.ts";
import { ErrorNotice } from "../ui/feedback.tsx";

/** The page for unknown addresses. */
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

/** Returns whether the record of the page was not found: deleted, not visible, or a wrong address. */
export function isGone(error: Error | null): boolean {
  return error instanceof ApiError && (error.status === 404 || error.status === 422);
}

/** The page instead of a record: "not found", or an error with a retry button. */
export function PageError({ error, retry }: { readonly error: Error; readonly retry: () => void }) {
  return isGone(error) ? <NotFound /> : <ErrorNotice error={error} retry={retry} />;
}
