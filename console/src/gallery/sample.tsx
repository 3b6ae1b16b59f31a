import type { ReactNode } from "react";

interface SampleProps {
  readonly title: string;
  /** When to use it, and its behaviour. */
  readonly about: string;
  readonly children: ReactNode;
  readonly isWide?: boolean;
}

/** A component with name, usage and states. */
export function Sample({ title, about, children, isWide }: SampleProps) {
  return (
    <section className={isWide ? "sample wide" : "sample"} aria-label={title}>
      <header>
        <h2>{title}</h2>
        <p className="muted">{about}</p>
      </header>
      {children}
    </section>
  );
}

/** A state of the component. */
export function Case({
  label,
  children,
}: {
  readonly label: string;
  readonly children: ReactNode;
}) {
  return (
    <div className="sample-case">
      <span className="sample-label">{label}</span>
      <div className="sample-stage">{children}</div>
    </div>
  );
}
