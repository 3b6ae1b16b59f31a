/** The loading, empty and error states of a screen. */
import type { ReactNode } from "react";

export function Loading({ rows = 8 }: { readonly rows?: number }) {
  return (
    <div className="loading" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, n) => (
        <div key={n} className={`bone w-${n % 4}`} />
      ))}
    </div>
  );
}

/** An empty state: its purpose, and one action. */
export function Empty(props: {
  readonly title: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}) {
  return (
    <div className="empty">
      <strong>{props.title}</strong>
      {props.children && <p>{props.children}</p>}
      {props.action}
    </div>
  );
}

interface Problem {
  readonly message: string;
  readonly requestId?: string | undefined;
}

/** An inline error with the server's message; other parts of the screen stay. */
export function ErrorNotice(props: { readonly error: Problem; readonly retry?: () => void }) {
  const { message, requestId } = props.error;
  return (
    <div className="problem" role="alert">
      <span className="grow">
        {message}
        {requestId !== undefined && <span className="mono muted"> {requestId}</span>}
      </span>
      {props.retry && (
        <button className="btn" onClick={props.retry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** The reason for a rejection in a form, if any. */
export function Refusal({ reason }: { readonly reason: string | undefined }) {
  if (reason === undefined) return null;
  return (
    <p className="field-error" role="alert">
      {reason}
    </p>
  );
}
