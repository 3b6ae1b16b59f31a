/** The values of a form: what it began with, what was changed since, and the version that the first change was made on. */
import { useEffect, useState } from "react";
import { changedNames, type Values } from "./form-values.ts";

/** The version of a thing that a form is based on. */
export interface Version<D> {
  readonly etag: string | undefined;
  /** Reads it again after a conflict. With it, changes of others to other fields are no conflict. */
  readonly reread?: () => Promise<{ readonly initial: D; readonly etag: string | undefined }>;
}

/** The values and the version that a draft was begun on. */
export interface Base {
  readonly values: Values;
  readonly etag: string | undefined;
}

export interface Draft {
  readonly values: Values;
  /** The names of the fields that differ from the base. */
  readonly changed: readonly string[];
  readonly base: Base;
  readonly change: (next: Values) => void;
  /** It was saved: what was sent is what is known, until the server says more. */
  readonly settle: (etag: string | undefined) => void;
  /** Goes back to what somebody else saved. */
  readonly restart: (theirs: Base) => void;
  readonly reset: () => void;
}

interface Saved {
  /** The version that the screen had read by then. */
  readonly before: string | undefined;
  readonly etag: string;
}

/** A draft of `initial`, on the version that was read. With `keptAs`, what is changed is kept on this device. */
export function useDraft(
  initial: Values,
  read: string | undefined,
  keptAs: string | undefined,
): Draft {
  const text = JSON.stringify(initial);
  const [known, setKnown] = useState({ text, values: initial });
  const [kept] = useState(() => readKept(keptAs));
  const [changes, setChanges] = useState<Values>(kept ?? {});
  const [begun, setBegun] = useState<Base | undefined>(kept && { values: initial, etag: read });
  const [saved, setSaved] = useState<Saved>();
  // What is not changed follows what the server says.
  if (known.text !== text) setKnown({ text, values: initial });
  const newest = known.text === text ? known.values : initial;
  const etag = saved && saved.before === read ? saved.etag : read;
  const values = { ...newest, ...changes };
  const base = begun ?? { values: newest, etag };
  const changed = changedNames(base.values, changes);
  const left = JSON.stringify(Object.fromEntries(changed.map((name) => [name, changes[name]])));
  useEffect(() => {
    if (keptAs === undefined) return;
    if (left === "{}") localStorage.removeItem(PREFIX + keptAs);
    else localStorage.setItem(PREFIX + keptAs, left);
  }, [keptAs, left]);
  const restart = (next: Base): void => {
    // The effect does not run for a form that is removed as soon as it is sent.
    if (keptAs !== undefined) localStorage.removeItem(PREFIX + keptAs);
    setKnown({ text, values: next.values });
    setChanges({});
    setBegun(undefined);
    if (next.etag !== undefined) setSaved({ before: read, etag: next.etag });
  };
  return {
    values,
    changed,
    base,
    change: (next) => {
      if (!begun) setBegun({ values: newest, etag });
      setChanges((old) => ({ ...old, ...next }));
    },
    settle: (answered) => restart({ values, etag: answered }),
    restart,
    reset: () => {
      setChanges({});
      setBegun(undefined);
    },
  };
}

const PREFIX = "millrace.draft.";

/** What was changed here before, and not sent. */
function readKept(keptAs: string | undefined): Values | undefined {
  if (keptAs === undefined) return undefined;
  try {
    return (JSON.parse(localStorage.getItem(PREFIX + keptAs) ?? "null") as Values) ?? undefined;
  } catch {
    return undefined;
  }
}
