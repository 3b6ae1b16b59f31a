import { Link } from "@tanstack/react-router";
import { ApiError } from "../data/api.ts";
import { ErrorNotice } from "../ui/feedback.tsx";

/** The page of an unknown address. */
export function NotFound() {
  return (
    <div className="empty">
      <h1>Page not found</h1>
      <p>The address is wrong, or the page was deleted.</p>
      <Link to="/" className="btn">
        Go to Home
      </Link>
    </div>
  );
}

/** True if the record of the page is not found: deleted, not visible, or a wrong address. */
export function isGone(error: Error | null): boolean {
  return error instanceof ApiError && (error.status === 404 || error.status === 422);
}

/** Shown instead of a record: "not found", or the error with a retry. */
export function PageError({ error, retry }: { readonly error: Error; readonly retry: () => void }) {
  return isGone(error) ? <NotFound /> : <ErrorNotice error={error} retry={retry} />;
}
