import type { ReactNode } from "react";
import type { Tone } from "../state.tsx";
import { ThenButton } from "./then-button.tsx";

export interface TimelineEntry {
  readonly id: string;
  readonly at: string;
  readonly title: ReactNode;
  readonly children?: ReactNode;
  readonly tone?: Tone;
  /** Shown instead of the dot: an avatar or an icon. */
  readonly mark?: ReactNode;
  /** An action of the entry. */
  readonly act?: ReactNode;
}

/** A vertical list of events in the given order. */
export function Timeline({
  entries,
  label,
  onSee,
}: {
  readonly entries: readonly TimelineEntry[];
  readonly label: string;
  /** Shows the resource at the time of an entry. */
  readonly onSee?: ((at: string) => void) | undefined;
}) {
  return (
    <ol className="timeline" aria-label={label}>
      {entries.map(({ id, at, title, children, tone = "idle", mark, act }) => (
        <li key={id}>
          <span className={mark ? "timeline-mark" : `timeline-mark dot ${tone}`}>{mark}</span>
          <div className="grow">
            <div className="timeline-title">
              <span className="grow">{title}</span>
              {act}
              <ThenButton at={at} onSee={onSee} />
            </div>
            {children && <div className="timeline-body">{children}</div>}
          </div>
        </li>
      ))}
    </ol>
  );
}
