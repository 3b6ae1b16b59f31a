/** The order and pins of the menu, stored with the user's account, and cached in this browser for the next start. */
import { useMemo, useSyncExternalStore } from "react";
import { cache, call, useOp } from "../../data/api.ts";
import { place } from "../../data/place.ts";
import { attempt } from "../../data/use-command.ts";
import { type Arrangement, isOriginal, readArrangement } from "./arrangement.ts";

export const MENU_PREFERENCE = { params: { key: "console.menu" } } as const;
const { key } = MENU_PREFERENCE.params;
/** Deleted together with the user's data (`data/person-memory.ts`). */
const MEMORY = `millrace.menu.${place.workspace ?? ""}`;

export function useArrangement(): readonly [Arrangement, (next: Arrangement) => void] {
  const { data } = useOp("preferences.list");
  const stored = useMemo(() => {
    const value = data?.data.preferences.find((one) => one.key === key)?.value;
    const read = data ? readArrangement(value) : readMemory();
    if (data) localStorage.setItem(MEMORY, JSON.stringify(read));
    return read;
  }, [data]);
  const changed = useSyncExternalStore(watch, () => unsaved);
  return [changed ?? stored, save];
}

function readMemory(): Arrangement {
  try {
    return readArrangement(JSON.parse(localStorage.getItem(MEMORY) ?? "null"));
  } catch {
    return readArrangement(undefined);
  }
}

/** The last change while it is being saved. Responses that arrive during this time can be older, so they are not shown. */
let unsaved: Arrangement | undefined;
let isSaving = false;
const watchers = new Set<() => void>();

function watch(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

function show(next: Arrangement | undefined): void {
  unsaved = next;
  for (const watcher of watchers) watcher();
}

/** Shows the change immediately. Saves changes in sequence, so the last one is kept. */
function save(next: Arrangement): void {
  show(next);
  if (isSaving) return;
  isSaving = true;
  void attempt(saveChanges).then(() => {
    isSaving = false;
    show(undefined);
  });
}

async function saveChanges(): Promise<void> {
  for (let saved: Arrangement | undefined; unsaved && saved !== unsaved;) {
    saved = unsaved;
    if (isOriginal(saved)) await call("preferences.delete", MENU_PREFERENCE);
    else await call("preferences.set", { ...MENU_PREFERENCE, body: { value: saved } });
    await cache.refetchQueries({ queryKey: ["preferences.list"] });
  }
}
