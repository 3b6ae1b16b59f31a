import { useOp } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import { count } from "../../ui/words.ts";
import type { Ticket } from "../ticket-kind.ts";
import { ImpactGraph } from "./impact-graph.tsx";

const GRAPH_MAX = 24;

/** Shows the ticket's configuration items and impact. */
export function Items({ ticket }: { readonly ticket: Ticket }) {
  const may = useMay();
  if (ticket.ciIds.length === 0 || !may("cmdb.impact")) return null;
  return (
    <section className="strip-part">
      <h2>Affected</h2>
      {ticket.ciIds.slice(0, 3).map((id) => (
        <Item key={id} id={id} />
      ))}
      {ticket.ciIds.length > 3 && <p className="muted">and {ticket.ciIds.length - 3} more</p>}
    </section>
  );
}

function Item({ id }: { readonly id: string }) {
  const { data } = useOp("cmdb.impact", { params: { id }, query: { depth: 3, limit: GRAPH_MAX } });
  const impact = data?.data;
  if (!impact) return null;
  const { items, incidents, changes } = impact.counts;
  const facts = [
    items > 0 ? `${count(items, "dependent", "dependents")}` : "No dependents",
    incidents > 1 && count(incidents, "open incident"),
    changes > 0 && count(changes, "change"),
  ].filter(Boolean);
  return (
    <div className="item">
      <p className="row">
        <strong className="grow cut">{impact.item.name}</strong>
        <small className="muted">{impact.item.class}</small>
      </p>
      {impact.impacted.length > 0 && <ImpactGraph impact={impact} />}
      <p className="muted">{facts.join(" · ")}</p>
    </div>
  );
}
