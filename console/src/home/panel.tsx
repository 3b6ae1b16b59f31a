import { Link } from "@tanstack/react-router";
import { type ReactNode, useId } from "react";
import { ErrorNotice, Loading } from "../ui/feedback.tsx";

/** A section of the page. Its height is reserved, so that loading causes no layout shift. */
export function Panel(props: {
  readonly title: string;
  readonly rows: "few" | "some" | "many";
  readonly count?: number | undefined;
  readonly all?: string;
  readonly search?: Readonly<Record<string, string>>;
  readonly isLoading: boolean;
  readonly error?: Error | null;
  readonly retry?: () => void;
  /** The text of the empty state. */
  readonly none: string;
  readonly children: ReactNode;
}) {
  const id = useId();
  const isEmpty = props.count === 0 && !props.isLoading && !props.error;
  return (
    <section className={`panel home-panel ${props.rows}`} aria-labelledby={id}>
      <header className="home-panel-head">
        <h2 id={id}>{props.title}</h2>
        {props.count !== undefined && props.count > 0 && (
          <span className="home-count">{props.count}</span>
        )}
        {props.all !== undefined && (
          <Link
            to={props.all}
            search={props.search ?? {}}
            className="home-all"
            aria-label={`All: ${props.title}`}
          >
            All
          </Link>
        )}
      </header>
      {props.error && (
        <ErrorNotice error={props.error} {...(props.retry && { retry: props.retry })} />
      )}
      {props.isLoading && <Loading rows={props.rows === "few" ? 2 : 4} />}
      {isEmpty && <p className="muted home-none">{props.none}</p>}
      <ul className="home-lines">{props.children}</ul>
    </section>
  );
}
