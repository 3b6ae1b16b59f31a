import { Ago } from "../time.tsx";
import { toMoment } from "../words.ts";

interface ThenButtonProps {
  readonly at: string;
  /** Shows the thing as it was then; where it can't be shown, only the time is. */
  readonly onSee: ((at: string) => void) | undefined;
}

/** The time of an entry, by which one sees the thing as it was then. */
export function ThenButton({ at, onSee }: ThenButtonProps) {
  if (!onSee) return <Ago at={at} />;
  return (
    <button
      type="button"
      className="then-button"
      title={`See it as it was on ${toMoment(at)}`}
      onClick={() => onSee(at)}
    >
      <span className="hide">See it as it was </span>
      <Ago at={at} />
    </button>
  );
}
