import { Ago } from "../../ui/time.tsx";
import type { StreamEntry } from "../stream/moments.ts";
import type { Conflict } from "./use-acts.ts";
import { Button } from "../../ui/form/button.tsx";

interface ConflictNoticeProps {
  readonly conflict: Conflict;
  /** The latest action by another user. */
  readonly newest: StreamEntry | undefined;
  readonly onInsist: () => void;
  readonly onForget: () => void;
}

/** Another user changed the ticket first: shows their change and asks whether to continue. */
export function ConflictNotice({ conflict, newest, onInsist, onForget }: ConflictNoticeProps) {
  const act = conflict.act.label.replace("…", "").toLowerCase();
  const what = newest?.sort === "done" ? newest.clauses.join(", ") : "changed this ticket";
  return (
    <div className="notice ticket-conflict" role="alert">
      <span className="grow">
        {newest ? (
          <>
            <strong>{newest.actor.name}</strong> {what} <Ago at={newest.at} />.
          </>
        ) : (
          "Another user changed this ticket."
        )}{" "}
        “{act}” was not applied.
      </span>
      <Button onClick={onForget}>Cancel</Button>
      <Button onClick={onInsist}>Apply anyway</Button>
    </div>
  );
}
