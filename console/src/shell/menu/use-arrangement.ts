/** The order and pins of the menu, stored with the user's account, and cached in this browser for the next start. */
import { useCallback, useMemo } from "react";
import { call, patchCached, useOp } from "../../data/api.ts";
import { place } from "../../data/place.ts";
import { notifyError } from "../../ui/toast.tsx";
import { type Arrangement, isOriginal, readArrangement } from "./arrangement.ts";

export const MENU_PREFERENCE = { params: { key: "console.menu" } } as const;
const { key } = MENU_PREFERENCE.params;
/** Deleted together with the user's data (`data/person-memory.ts`). */
const MEMORY = `millrace.menu.${place.workspace ?? ""}`;

export function useArrangement(): readonly [Arrangement, (next: Arrangement) => void] {
  const { data } = useOp("preferences.list");
  const arrangement = useMemo(() => {
    const stored = data?.data.preferences.find((one) => one.key === key)?.value;
    const read = data ? readArrangement(stored) : readMemory();
    if (data) localStorage.setItem(MEMORY, JSON.stringify(read));
    return read;
  }, [data]);
  const save = useCallback((next: Arrangement): void => {
    void store(next);
  }, []);
  return [arrangement, save];
}

function readMemory(): Arrangement {
  try {
    return readArrangement(JSON.parse(localStorage.getItem(MEMORY) ?? "null"));
  } catch {
    return readArrangement(undefined);
  }
}

/** Applies the change optimistically, and reverts it if the server rejects it. */
async function store(next: Arrangement): Promise<void> {
  const undo = patchCached("preferences.list", (old) => {
    const others = old.data.preferences.filter((one) => one.key !== key);
    const own = { key, value: next, updatedAt: new Date().toISOString() };
    return { ...old, data: { ...old.data, preferences: [...others, own] } };
  });
  try {
    if (isOriginal(next)) await call("preferences.delete", MENU_PREFERENCE);
    else await call("preferences.set", { ...MENU_PREFERENCE, body: { value: next } });
  } catch (error) {
    undo();
    notifyError(error);
  }
}
