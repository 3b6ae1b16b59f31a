import { ApiError } from "../data/api.ts";
import { ErrorNotice } from "../ui/feedback.tsx";

/** The error for a past time: usually the resource did not exist yet, or was already deleted. */
export function PastError(props: { readonly error: Error; readonly retry: () => void }) {
  if (props.error instanceof ApiError && props.error.status === 404)
    return <p className="past-none">It did not exist at this time.</p>;
  return <ErrorNotice {...props} />;
}
