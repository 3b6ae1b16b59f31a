import { Link } from "@tanstack/react-router";
import { useOp } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { State } from "../../ui/state.tsx";
import { Ago } from "../../ui/time.tsx";
import { type Ticket, ticketPath } from "../ticket-kind.ts";
import { useCaller } from "../use-caller.ts";

const SHOWN = 5;

/** The caller with their recent tickets, so that agents notice repeated problems. */
export function CallerCard({ ticket }: { readonly ticket: Ticket }) {
  const may = useMay();
  const { callerId } = ticket;
  const filter = JSON.stringify({ callerId });
  const query = { filter, sort: "-createdAt", limit: SHOWN + 1 };
  const enabled = callerId !== null && may("incidents.list_children");
  const { data } = useOp("incidents.list", { query }, { enabled });
  const caller = useCaller(callerId);
  if (!caller) return null;
  const others = (data?.data ?? []).filter(({ id }) => id !== ticket.id).slice(0, SHOWN);
  return (
    <section className="strip-part">
      <h2>Caller</h2>
      <p className="caller-card">
        <Avatar name={caller.name} big />
        <span className="grow">
          <strong className="cut">{caller.name ?? "Unknown user"}</strong>
          {caller.address !== undefined && <small className="muted cut">{caller.address}</small>}
          {caller.phone !== undefined && <small className="muted cut">{caller.phone}</small>}
        </span>
      </p>
      {enabled && data && others.length === 0 && <p className="muted">No other tickets.</p>}
      <ul className="strip-list">
        {others.map((one) => (
          <li key={one.id}>
            <Link to={ticketPath(one.number)} className="strip-line" title={one.title}>
              <span className="cut grow">{one.title}</span>
              <Ago at={one.createdAt} />
            </Link>
            <State state={one.state} />
          </li>
        ))}
      </ul>
    </section>
  );
}
