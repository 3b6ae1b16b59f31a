/** The views of the left pane: built-in, per team, and saved. */
import {
  Archive,
  Bookmark,
  CircleDashed,
  Eye,
  Flame,
  Layers,
  type LucideIcon,
  UserRound,
  UsersRound,
} from "lucide-react";
import type { Schemas } from "../../data/api.ts";
import { type Chip, type DeskSearch, NOBODY, readChips } from "../search.ts";
import type { QueueQuery } from "./use-queue.ts";

export interface View {
  readonly id: string;
  readonly label: string;
  readonly icon: LucideIcon;
  readonly query: QueueQuery;
  /** The text of the empty state. */
  readonly nothing: string;
  /** The saved view, if it is one. */
  readonly saved?: SavedView;
}

export type SavedView = Schemas["ListedQueueView"];

export const BUILT_IN: readonly View[] = [
  {
    id: "mine",
    label: "My work",
    icon: UserRound,
    query: { view: "mine" },
    nothing: "No open tickets are assigned to you. Select one from Unassigned.",
  },
  {
    id: "unassigned",
    label: "Unassigned",
    icon: CircleDashed,
    query: { view: "unassigned" },
    nothing: "Every open ticket has an assignee.",
  },
  {
    id: "watched",
    label: "Watched",
    icon: Eye,
    query: { view: "watched" },
    nothing: "You are not watching any open tickets. Press W in a ticket to watch it.",
  },
  {
    id: "breached",
    label: "Overdue",
    icon: Flame,
    query: { view: "breached" },
    nothing: "No tickets are overdue.",
  },
  {
    id: "open",
    label: "All open",
    icon: Layers,
    query: { view: "open" },
    nothing: "No open tickets.",
  },
  {
    id: "done",
    label: "Closed",
    icon: Archive,
    query: { open: false, sort: "-updatedAt" },
    nothing: "No closed tickets yet.",
  },
];

interface Named {
  readonly id: string;
  readonly name: string;
}

export const toTeamView = ({ id, name }: Named): View => ({
  id,
  label: name,
  icon: UsersRound,
  query: { teamId: id, open: true },
  nothing: `No open tickets for ${name}.`,
});

const toUnknownView = ({ id, name }: Named): View => ({
  id,
  label: name,
  icon: Bookmark,
  query: { view: id },
  nothing: "No tickets match this view.",
});

export const toSavedView = (saved: SavedView): View => ({ ...toUnknownView(saved), saved });

/** Returns the view of an address; teams and saved views load later than the page. */
export function viewOf(id: string | undefined, views: readonly View[]): View {
  const known = views.find((view) => view.id === id);
  if (known) return known;
  if (id?.startsWith("tem_")) return toTeamView({ id, name: "Team" });
  if (id?.startsWith("vew_")) return toUnknownView({ id, name: "View" });
  return BUILT_IN[0] as View;
}

/** Returns the API query of a view with search words and chips. Chips of one field are combined with or. */
export function toListQuery(view: View, { q, only }: Pick<DeskSearch, "q" | "only">): QueueQuery {
  const chips = readChips(only);
  const conditions = toConditions(chips);
  const kinds = valuesOf(chips, "kind");
  const tags = valuesOf(chips, "tag");
  return {
    ...view.query,
    ...(kinds.length > 0 && { kinds: kinds.join(",") }),
    ...(tags.length > 0 && { tags: tags.join(",") }),
    ...(q !== undefined && { q }),
    ...(conditions.length > 0 && { filter: JSON.stringify(joinConditions(conditions)) }),
  };
}

export const joinConditions = (conditions: readonly object[]): object =>
  conditions.length === 1 ? (conditions[0] as object) : { and: conditions };

export const valuesOf = (chips: readonly Chip[], field: Chip["field"]): readonly string[] =>
  chips.filter((chip) => chip.field === field).map(({ value }) => value);

/** Returns custom field conditions, such as `floor=3`. Chips for the same field are combined with "or". */
function ownFieldConditions(chips: readonly Chip[]): readonly object[] {
  const byKey = new Map<string, unknown[]>();
  for (const pair of valuesOf(chips, "field")) {
    const [key, value] = splitAt(pair, "=");
    byKey.set(key, [...(byKey.get(key) ?? []), readOwnValue(value)]);
  }
  return [...byKey].map(([key, values]) => ({
    [`fields.${key}`]: values.length === 1 ? values[0] : { in: values },
  }));
}

const readOwnValue = (text: string): unknown =>
  text === "true" || text === "false" ? text === "true" : text;

function splitAt(text: string, mark: string): readonly [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + mark.length)];
}

export function toConditions(chips: readonly Chip[]): readonly object[] {
  const any = (field: string, values: readonly unknown[]): readonly object[] => {
    if (values.length === 0) return [];
    return [{ [field]: values.length === 1 ? values[0] : { in: values } }];
  };
  const idOf = (value: string): string | null => (value === NOBODY ? null : value);
  return [
    ...any("priority", valuesOf(chips, "priority").map(Number)),
    ...any("state", valuesOf(chips, "state")),
    ...any("assigneeId", valuesOf(chips, "assignee").map(idOf)),
    ...any("teamId", valuesOf(chips, "team").map(idOf)),
    ...ownFieldConditions(chips),
  ];
}
