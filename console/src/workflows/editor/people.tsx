import { usePresence } from "../../data/live/presence.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { type Definition, findStep } from "../graph/graph.ts";
import { nameOf } from "./edits.ts";
import { PlainButton } from "../../ui/form/button.tsx";

const SHOWN_MAX = 4;

interface PeopleProps {
  readonly id: string;
  readonly definition: Definition;
  readonly chosen: readonly string[];
  readonly choose: (keys: readonly string[]) => void;
  readonly isEditing: boolean;
}

/** Shows other users in the workflow. A click jumps to their selected step. */
export function People({ id, definition, chosen, choose, isEditing }: PeopleProps) {
  const people = usePresence(id, { at: chosen.at(-1), isEditing });
  if (people.length === 0) return null;
  return (
    <span className="editor-people" role="group" aria-label="Active users">
      {people.slice(0, SHOWN_MAX).map(({ userId, name, at, state }) => {
        const step = at !== null && findStep(definition, at) ? at : undefined;
        const doing = state === "editing" ? "is editing" : "is viewing";
        const what = step === undefined ? "this workflow" : nameOf(definition, step);
        return (
          <PlainButton
            key={userId}
            className={`person ${state}`}
            title={`${name} ${doing} ${what}`}
            aria-label={`${name} ${doing} ${what}`}
            disabled={step === undefined}
            onClick={() => step !== undefined && choose([step])}
          >
            <Avatar name={name} />
          </PlainButton>
        );
      })}
      {people.length > SHOWN_MAX && <span className="muted">+{people.length - SHOWN_MAX}</span>}
    </span>
  );
}
