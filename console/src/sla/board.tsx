import { Link } from "@tanstack/react-router";
import { type Schemas, useOp } from "../data/api.ts";
import { useNames } from "../data/names/names.ts";
import { Priority, ticketPath } from "../desk/index.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Empty, ErrorNotice, Loading } from "../ui/feedback.tsx";
import { useNow } from "../ui/time.tsx";
import { count, toCountdown, toWords } from "../ui/words.ts";

type Clock = Schemas["SlaBoardClock"];

const SHOWN = 100;
const HOUR_MS = 3_600_000;

/** Running SLA clocks: first breached tickets that are still open, then by time to breach. */
export function SlaBoard() {
  const late = useOp("sla.list_clocks", {
    query: { state: "breached", open: "true", limit: SHOWN },
  });
  const next = useOp("sla.list_clocks", {
    query: { state: "running", limit: SHOWN, sort: "dueAt" },
  });
  const error = late.error ?? next.error;
  const isEmpty = late.data?.data.length === 0 && next.data?.data.length === 0;
  return (
    <div className="sla-board scroll" tabIndex={0} role="region" aria-label="SLA targets">
      {error && (
        <ErrorNotice
          error={error}
          retry={() => void Promise.all([late.refetch(), next.refetch()])}
        />
      )}
      {(late.isPending || next.isPending) && !error && <Loading rows={10} />}
      {isEmpty && (
        <Empty title="No running SLA targets">
          Open tickets with an SLA policy appear here, sorted by due time.
        </Empty>
      )}
      <ClockList title="Overdue" clocks={late.data?.data ?? []} />
      <ClockList title="Due next" clocks={next.data?.data ?? []} />
    </div>
  );
}

interface ClockListProps {
  readonly title: string;
  readonly clocks: readonly Clock[];
}

function ClockList({ title, clocks }: ClockListProps) {
  const nameOf = useNames();
  const now = useNow();
  if (clocks.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2 className="sla-heading">
        {title} <span className="muted">{count(clocks.length, "target")}</span>
      </h2>
      <ul>
        {clocks.map(({ policyId, policyName, name, dueAt, breachedAt, ticket }) => {
          const at = breachedAt ?? dueAt;
          const left = at === null ? null : Date.parse(at) - now;
          const tone = left === null ? "idle" : left <= 0 ? "bad" : left < HOUR_MS ? "warn" : "ok";
          return (
            <li key={`${policyId}${name}${ticket.id}`}>
              <Link to={ticketPath(ticket.number ?? ticket.id)} className="sla-line">
                <Priority priority={ticket.priority} />
                <span className="grow sla-words">
                  <span className="cut">{ticket.title}</span>
                  <span className="muted cut">
                    <span className="mono">{ticket.number}</span> {toWords(name)} · {policyName}
                  </span>
                </span>
                <Avatar name={nameOf(ticket.assigneeId)} />
                <span className={`sla-left ${tone}`}>
                  {left === null ? "rests" : toCountdown(left)}
                </span>
              </Link>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
