import { type ReactNode, useEffect, useRef } from "react";

interface UnfoldProps {
  readonly className?: string;
  /** Expands when this becomes true. Only the user collapses it, because a field in it may have the focus. */
  readonly isOpen: boolean;
  readonly summary: ReactNode;
  readonly children: ReactNode;
}

/** A collapsible section. Typing in it never collapses it. */
export function Unfold({ className, isOpen, summary, children }: UnfoldProps) {
  const details = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (isOpen && details.current) details.current.open = true;
  }, [isOpen]);
  return (
    <details ref={details} className={className}>
      <summary>{summary}</summary>
      {children}
    </details>
  );
}
