/** Converts the current filter of the desk to a condition that can be saved and shared. */
import { type DeskSearch, readChips } from "../search.ts";
import type { Kind } from "../ticket-kind.ts";
import { joinConditions, toConditions, valuesOf, type View } from "../queue/views.ts";

/** The current user, because some views depend on the user. */
export interface Saver {
  readonly meId: string;
}

export interface SavedPart {
  readonly filter: Readonly<Record<string, unknown>>;
  readonly kinds: readonly Kind[];
  readonly onlyOpen: boolean;
}

/** Returns the part of a view and its filter that can be saved. Search words can't be a condition. */
export function toSavedPart(
  view: View,
  { only }: Pick<DeskSearch, "only">,
  saver: Saver,
): SavedPart {
  const chips = readChips(only);
  const tags = valuesOf(chips, "tag").map((tag) => ({ tags: { contains: tag } }));
  const all = [...baseConditions(view, saver), ...toConditions(chips), ...tags];
  const kinds = valuesOf(chips, "kind") as readonly Kind[];
  return {
    filter: (all.length === 0 ? {} : joinConditions(all)) as SavedPart["filter"],
    kinds: kinds.length > 0 ? kinds : (view.saved?.kinds ?? []),
    onlyOpen: view.saved?.onlyOpen ?? view.id !== "done",
  };
}

/** Returns why a view can't be saved under a new name. */
export function refusalOfSaving(view: View): string | undefined {
  return view.id === "watched"
    ? "You can't save this view: watched tickets differ for each person."
    : undefined;
}

function baseConditions({ id, query, saved }: View, { meId }: Saver): readonly object[] {
  if (saved) return Object.keys(saved.filter).length === 0 ? [] : [saved.filter];
  if (query.teamId !== undefined) return [{ teamId: query.teamId }];
  if (id === "mine") return [{ assigneeId: meId }];
  if (id === "breached") return [{ dueState: "breached" }];
  if (id === "done") return [{ isOpen: false }];
  if (id === "unassigned") return [{ assigneeId: null }];
  return [];
}
