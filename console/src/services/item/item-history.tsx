import { type Schemas, useOp } from "../../data/api.ts";
import { UndoButton } from "../../events/index.ts";
import { Timeline } from "../../ui/display/timeline.tsx";
import { toWords } from "../../ui/words.ts";

type Moment = Schemas["Event"];

const SHOWN = 50;

/** Loads the listed events of an item. */
export const useItemMoments = (id: string) =>
  useOp("cmdb.item_history", { params: { id }, query: { limit: SHOWN } }).data?.data;

interface ItemHistoryProps {
  readonly id: string;
  /** Shows the item at that time. */
  readonly onSee?: ((at: string) => void) | undefined;
  /** The time of the shown version. */
  readonly at?: string | undefined;
}

/** Shows all item events, newest first. */
export function ItemHistory({ id, onSee, at }: ItemHistoryProps) {
  const moments = (useItemMoments(id) ?? []).filter(
    ({ createdAt }) => at === undefined || Date.parse(createdAt) <= Date.parse(at),
  );
  return (
    <Timeline
      label="Timeline"
      onSee={onSee}
      entries={moments.map((moment) => ({
        id: moment.id,
        at: moment.createdAt,
        title: describeChange(moment),
        act: at === undefined && <UndoButton events={[moment]} />,
      }))}
    />
  );
}

function describeChange({ type, actor, data }: Moment): string {
  const changed = data["changes"];
  const fields = Array.isArray(changed)
    ? changed.map((field) => toWords(nameOf(field)).toLowerCase())
    : [];
  return fields.length > 0
    ? `${actor.name} changed ${fields.join(", ")}`
    : `${actor.name}: ${toWords(type.slice(type.indexOf(".") + 1)).toLowerCase()}`;
}

/** Returns the name of a changed field, with or without values. */
function nameOf(change: unknown): string {
  if (typeof change === "object" && change !== null && "field" in change) {
    return String(change.field);
  }
  return String(change);
}
