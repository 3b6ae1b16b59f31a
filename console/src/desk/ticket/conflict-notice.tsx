import { Ago } from "../../ui/time.tsx";
import type { StreamEntry } from "../stream/moments.ts";
import type { Conflict } from "./use-acts.ts";

interface ConflictNoticeProps {
  readonly conflict: Conflict;
  /** The newest thing that somebody else did. */
  readonly newest: StreamEntry | undefined;
  readonly onInsist: () => void;
  readonly onForget: () => void;
}

/** Somebody was first: what they did, and whether to go on all the same. */
export function ConflictNotice({ conflict, newest, onInsist, onForget }: ConflictNoticeProps) {
  const act = conflict.act.label.replace("…", "").toLowerCase();
  const what = newest?.sort === "done" ? newest.clauses.join(", ") : "changed it";
  return (
    <div className="notice ticket-conflict" role="alert">
      <span className="grow">
        {newest ? (
          <>
            <strong>{newest.actor.name}</strong> {what} <Ago at={newest.at} />.
          </>
        ) : (
          "Somebody changed it a moment ago."
        )}{" "}
        So “{act}” was not done.
      </span>
      <button className="btn" onClick={onForget}>
        Leave it
      </button>
      <button className="btn" onClick={onInsist}>
        Proceed anyway
      </button>
    </div>
  );
}
