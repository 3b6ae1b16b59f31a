import { Link } from "@tanstack/react-router";
import { type Schemas, useOp } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import { State } from "../../ui/state.tsx";

type Impact = Schemas["CmdbImpact"];

const SHOWN = 20;

interface TicketListProps {
  readonly itemId: string;
  readonly impact: Impact;
}

/** The open tickets of an item: incidents, problems and changes. */
export function TicketList({ itemId, impact }: TicketListProps) {
  const may = useMay();
  const filter = JSON.stringify({
    ciIds: { contains: itemId },
    state: { nin: ["resolved", "closed"] },
  });
  const problems = useOp(
    "problems.list",
    { query: { limit: SHOWN, filter } },
    { enabled: may("problems.list") },
  ).data?.data;
  const { incidents, changes } = impact.item;
  const tickets = [...incidents, ...(problems ?? []), ...changes];
  const elsewhere = impact.counts.incidents;
  return (
    <section aria-label="Open tickets">
      <h2>Open tickets</h2>
      {tickets.length === 0 && (
        <p className="muted">
          No open tickets{" "}
          {elsewhere > 0 && `, ${elsewhere.toLocaleString("en")} on dependent items`}.
        </p>
      )}
      <ul className="item-tickets">
        {tickets.map(({ id, number, title, state }) => (
          <li key={id}>
            <Link to="/tickets/$reference" params={{ reference: number }} className="item-ticket">
              <span className="mono muted">{number}</span>
              <span className="grow cut">{title}</span>
              <State state={state} />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
