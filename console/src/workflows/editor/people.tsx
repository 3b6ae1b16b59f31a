import { useEffect, useRef, useState } from "react";
import { call, type Schemas } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import { onEvent, PRESENCE_CHANGED } from "../../data/live.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { type Definition, findStep } from "../graph/graph.ts";
import { nameOf } from "./edits.ts";

type Person = Schemas["PresentPerson"];

const RENEW_MS = 10_000;
const SETTLE_MS = 400;
const SHOWN_MAX = 4;

interface PeopleProps {
  readonly id: string;
  readonly definition: Definition;
  readonly chosen: readonly string[];
  readonly choose: (keys: readonly string[]) => void;
  readonly isEditing: boolean;
}

/** The others who are here, and where they are: their step is a press away. */
export function People({ id, definition, chosen, choose, isEditing }: PeopleProps) {
  const people = usePresence(id, chosen.at(-1), isEditing);
  if (people.length === 0) return null;
  return (
    <span className="editor-people" role="group" aria-label="Who is here">
      {people.slice(0, SHOWN_MAX).map(({ userId, name, at, state }) => {
        const step = at !== null && findStep(definition, at) ? at : undefined;
        const doing = state === "editing" ? "edits" : "looks at";
        const what = step === undefined ? "this workflow" : nameOf(definition, step);
        return (
          <button
            key={userId}
            className={`person ${state}`}
            title={`${name} ${doing} ${what}`}
            aria-label={`${name} ${doing} ${what}`}
            disabled={step === undefined}
            onClick={() => step !== undefined && choose([step])}
          >
            <Avatar name={name} />
          </button>
        );
      })}
      {people.length > SHOWN_MAX && <span className="muted">+{people.length - SHOWN_MAX}</span>}
    </span>
  );
}

/** Says where one is, again and again while one is there, and knows who else is. */
function usePresence(thing: string, at: string | undefined, isEditing: boolean): readonly Person[] {
  const may = useMay()("presence:share");
  const [people, setPeople] = useState<readonly Person[]>([]);
  const newest = useRef({ at, isEditing });
  newest.current = { at, isEditing };
  useEffect(() => {
    if (!may) return undefined;
    const left = new AbortController();
    const say = async (): Promise<void> => {
      if (document.hidden) return;
      const { at: step, isEditing: edits } = newest.current;
      const body = {
        state: edits ? "editing" : "viewing",
        ...(step !== undefined && { at: step }),
      };
      try {
        const input = { params: { thing }, body: body as { state: "editing" | "viewing" } };
        const { data } = await call("presence.put", input, { signal: left.signal });
        setPeople(data.people);
      } catch {
        // Whoever can't say where they are edits all the same; the next try comes soon.
      }
    };
    const soon = setTimeout(() => void say(), SETTLE_MS);
    const timer = setInterval(() => void say(), RENEW_MS);
    return () => {
      clearTimeout(soon);
      clearInterval(timer);
      left.abort();
    };
  }, [thing, may, at, isEditing]);
  useEffect(
    () =>
      onEvent(({ type, data }) => {
        if (type !== PRESENCE_CHANGED || data?.["thing"] !== thing) return;
        setPeople(data["people"] as readonly Person[]);
      }),
    [thing],
  );
  useEffect(() => {
    if (!may) return undefined;
    return () => void call("presence.leave", { params: { thing } }).catch(() => undefined);
  }, [thing, may]);
  return people.filter(({ you }) => !you);
}
