/** The views of the left pane: what a person's work is, before they made any of their own. */
import {
  Inbox,
  Layers,
  type LucideIcon,
  UserRound,
  UsersRound,
  Archive,
  CircleDashed,
} from "lucide-react";
import type { Input } from "../../data/api.ts";
import { type Chip, type DeskSearch, NOBODY, readChips } from "../search.ts";

type ListQuery = NonNullable<Input<"incidents.list">["query"]>;

export interface View {
  readonly id: string;
  readonly label: string;
  readonly icon: LucideIcon;
  readonly query: ListQuery;
  /** Said when it is empty. */
  readonly nothing: string;
}

const OPEN = "new,in_progress,on_hold";

export const BUILT_IN: readonly View[] = [
  {
    id: "mine",
    label: "My work",
    icon: UserRound,
    query: { mine: true, state: OPEN },
    nothing: "Nothing waits for you. Take something from a team's queue with t.",
  },
  {
    id: "queue",
    label: "My teams",
    icon: Inbox,
    query: { queue: true, state: OPEN },
    nothing: "Nobody waits. New tickets of your teams appear here by themselves.",
  },
  {
    id: "free",
    label: "Nobody's",
    icon: CircleDashed,
    query: { state: OPEN, filter: JSON.stringify({ assigneeId: null }) },
    nothing: "Everything has an owner.",
  },
  {
    id: "open",
    label: "All open",
    icon: Layers,
    query: { state: OPEN },
    nothing: "There is no open ticket at all.",
  },
  {
    id: "done",
    label: "Resolved",
    icon: Archive,
    query: { state: "resolved,closed" },
    nothing: "Nothing was resolved yet.",
  },
];

export const toTeamView = (team: { readonly id: string; readonly name: string }): View => ({
  id: team.id,
  label: team.name,
  icon: UsersRound,
  query: { teamId: team.id, state: OPEN },
  nothing: `The queue of ${team.name} is empty.`,
});

/** The view that an address names; teams are known a moment later than the page. */
export function viewOf(id: string | undefined, views: readonly View[]): View {
  const fallback = BUILT_IN[1] as View;
  if (id === undefined) return fallback;
  return (
    views.find((view) => view.id === id) ??
    (id.startsWith("tem_") ? toTeamView({ id, name: "Team" }) : fallback)
  );
}

/** The API's query of a view, narrowed by words and chips. Chips of one field widen each other. */
export function toListQuery(view: View, { q, only }: DeskSearch): ListQuery {
  const chips = readChips(only);
  const conditions = [
    ...(view.query.filter === undefined ? [] : [JSON.parse(view.query.filter) as object]),
    ...toConditions(chips),
  ];
  const states = valuesOf(chips, "state");
  return {
    ...view.query,
    ...(states.length > 0 && { state: states.join(",") }),
    ...(q !== undefined && { q }),
    ...(conditions.length > 0 && {
      filter: JSON.stringify(conditions.length === 1 ? conditions[0] : { and: conditions }),
    }),
  };
}

const valuesOf = (chips: readonly Chip[], field: Chip["field"]): readonly string[] =>
  chips.filter((chip) => chip.field === field).map(({ value }) => value);

function toConditions(chips: readonly Chip[]): readonly object[] {
  const any = (field: string, values: readonly unknown[]): readonly object[] => {
    if (values.length === 0) return [];
    return [{ [field]: values.length === 1 ? values[0] : { in: values } }];
  };
  const idOf = (value: string): string | null => (value === NOBODY ? null : value);
  return [
    ...any("priority", valuesOf(chips, "priority").map(Number)),
    ...any("assigneeId", valuesOf(chips, "assignee").map(idOf)),
    ...any("teamId", valuesOf(chips, "team").map(idOf)),
  ];
}
