import { Link } from "@tanstack/react-router";
import { Empty } from "../ui/feedback.tsx";

export function NotFound() {
  return (
    <Empty
      title="Nothing is here"
      action={
        <Link to="/" className="btn">
          Go home
        </Link>
      }
    >
      The address may be mistyped, or what was here is gone.
    </Empty>
  );
}
