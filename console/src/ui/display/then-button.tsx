import { Ago } from "../time.tsx";
import { toMoment } from "../words.ts";

interface ThenButtonProps {
  readonly at: string;
  /** Shows the resource at that time; undefined shows only the time. */
  readonly onSee: ((at: string) => void) | undefined;
}

/** The time of an entry; a click shows the resource at that time. */
export function ThenButton({ at, onSee }: ThenButtonProps) {
  if (!onSee) return <Ago at={at} />;
  return (
    <button
      type="button"
      className="then-button"
      title={`View the state on ${toMoment(at)}`}
      onClick={() => onSee(at)}
    >
      <span className="hide">View the state </span>
      <Ago at={at} />
    </button>
  );
}
