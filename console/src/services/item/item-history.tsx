import { type Schemas, useOp } from "../../data/api.ts";
import { Timeline } from "../../ui/display/timeline.tsx";
import { toWords } from "../../ui/words.ts";

type Moment = Schemas["Event"];

const SHOWN = 50;

/** Everything that happened to an item, the newest first. */
export function ItemHistory({ id }: { readonly id: string }) {
  const { data } = useOp("cmdb.item_history", { params: { id }, query: { limit: SHOWN } });
  return (
    <Timeline
      label="What happened to it"
      entries={(data?.data ?? []).map((moment) => ({
        id: moment.id,
        at: moment.createdAt,
        title: describeChange(moment),
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

/** The name of a changed field, whether it is told alone or with its values. */
function nameOf(change: unknown): string {
  if (typeof change === "object" && change !== null && "field" in change) {
    return String(change.field);
  }
  return String(change);
}
