/** The values of a form: initial values, changes, and the version that the first change was based on. */
import { useEffect, useState } from "react";
import { changedNames, type Values } from "./form-values.ts";

/** The version of a resource that a form is based on. */
export interface Version<D> {
  readonly etag: string | undefined;
  /** Reloads it after a conflict. With this, other users' changes to other fields are not conflicts. */
  readonly reread?: () => Promise<{ readonly initial: D; readonly etag: string | undefined }>;
}

/** The values and the version that a draft is based on. */
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
  /** Called after saving: the sent values become the base until the next response. */
  readonly settle: (etag: string | undefined) => void;
  /** Discards the changes and starts from another user's version. */
  readonly restart: (theirs: Base) => void;
  readonly reset: () => void;
}

interface Saved {
  /** The version that was loaded when the draft was saved. */
  readonly before: string | undefined;
  readonly etag: string;
}

/** A draft of `initial`, based on the loaded version. With `keptAs`, changes are kept on this device. */
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
  // Without changes, the draft follows the server's values.
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
    // Removed here, because the effect does not run if the form is unmounted right after sending.
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

/** Reads unsent changes from this device. */
function readKept(keptAs: string | undefined): Values | undefined {
  if (keptAs === undefined) return undefined;
  try {
    return (JSON.parse(localStorage.getItem(PREFIX + keptAs) ?? "null") as Values) ?? undefined;
  } catch {
    return undefined;
  }
}
