import { Link } from "@tanstack/react-router";

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
