import { type ReactNode, useEffect, useRef } from "react";

interface UnfoldProps {
  readonly className?: string;
  /** Opens it when this becomes true. Only a person folds it: a field in it may have the focus. */
  readonly isOpen: boolean;
  readonly summary: ReactNode;
  readonly children: ReactNode;
}

/** A part that is folded away until it is needed. What is typed in it never folds it. */
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
