import { ApiError } from "../data/api.ts";
import { ErrorNotice } from "../ui/feedback.tsx";

/** Why there is nothing to see at a moment: most often the thing was not made yet, or was deleted by then. */
export function PastError(props: { readonly error: Error; readonly retry: () => void }) {
  if (props.error instanceof ApiError && props.error.status === 404)
    return <p className="past-none">It was not there then.</p>;
  return <ErrorNotice {...props} />;
}
