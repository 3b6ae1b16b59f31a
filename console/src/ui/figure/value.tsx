import type { Figure, Mark, NameOf } from "@millrace/client/chart";

export interface FigureProps<K extends Figure["kind"] = Figure["kind"]> {
  readonly figure: Extract<Figure, { kind: K }>;
  readonly label: string;
  readonly onPick?: ((mark: Mark) => void) | undefined;
  /** Returns names of people and teams for their ids. */
  readonly nameOf?: NameOf | undefined;
  /** Filters the other figures by a group. */
  readonly onFilter?: ((group: Mark["group"]) => void) | undefined;
}

interface ValueProps {
  readonly words: string;
  readonly about: string;
  readonly mark: Mark;
  readonly onPick: FigureProps["onPick"];
  readonly className?: string;
}

/** A number, rendered as a button if it links to its rows. */
export function Value({ words, about, mark, onPick, className = "" }: ValueProps) {
  if (!onPick) return <span className={className}>{words}</span>;
  return (
    <button
      type="button"
      className={`figure-value ${className}`}
      aria-label={`${about}: ${words}. Show the rows`}
      onClick={() => onPick(mark)}
    >
      {words}
    </button>
  );
}
