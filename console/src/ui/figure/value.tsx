import type { Figure, Mark, NameOf } from "@millrace/client/chart";

export interface FigureProps<K extends Figure["kind"] = Figure["kind"]> {
  readonly figure: Extract<Figure, { kind: K }>;
  readonly label: string;
  readonly onPick?: ((mark: Mark) => void) | undefined;
  /** Names of people and teams, in the place of their ids. */
  readonly nameOf?: NameOf | undefined;
  /** Narrows everything else to a group. */
  readonly onFilter?: ((group: Mark["group"]) => void) | undefined;
}

interface ValueProps {
  readonly words: string;
  readonly about: string;
  readonly mark: Mark;
  readonly onPick: FigureProps["onPick"];
  readonly className?: string;
}

/** A number; a button where it leads somewhere. */
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
