/** Users who have the same resource open at the moment. Presence is not stored in the log. */
import { useEffect, useRef, useState } from "react";
import { call, type Schemas } from "../api.ts";
import { onEvent, PRESENCE_CHANGED } from "./live.ts";
import { useMay } from "../people.ts";

export type PresentPerson = Schemas["PresentPerson"];

const RENEW_MS = 10_000;
const SETTLE_MS = 400;

interface Doing {
  readonly isEditing: boolean;
  /** The selected part, such as a step. */
  readonly at?: string | undefined;
}

/** Reports the current user's presence regularly and returns the other users. Without a resource it does nothing. */
export function usePresence(
  thing: string | undefined,
  { at, isEditing }: Doing,
): readonly PresentPerson[] {
  const may = useMay()("presence.put");
  const [present, setPresent] = useState<{ thing: string; people: readonly PresentPerson[] }>();
  const newest = useRef({ at, isEditing });
  newest.current = { at, isEditing };
  useEffect(() => {
    if (!may || thing === undefined) return undefined;
    const left = new AbortController();
    const say = async (): Promise<void> => {
      if (document.hidden) return;
      const { at: part, isEditing: edits } = newest.current;
      const state = edits ? ("editing" as const) : ("viewing" as const);
      try {
        const body = { state, ...(part !== undefined && { at: part }) };
        const input = { params: { thing }, body };
        const { data } = await call("presence.put", input, { signal: left.signal });
        setPresent({ thing, people: data.people });
      } catch {
        // Presence is optional: a failed report is ignored, and the next one follows soon.
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
        if (type !== PRESENCE_CHANGED || data?.["thing"] !== thing || thing === undefined) return;
        setPresent({ thing, people: data["people"] as readonly PresentPerson[] });
      }),
    [thing],
  );
  useEffect(() => {
    if (!may || thing === undefined) return undefined;
    return () => void call("presence.leave", { params: { thing } }).catch(() => undefined);
  }, [thing, may]);
  return present !== undefined && present.thing === thing
    ? present.people.filter(({ you }) => !you)
    : NOBODY;
}

const NOBODY: readonly PresentPerson[] = [];
