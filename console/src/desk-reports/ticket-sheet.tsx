import { Link } from "@tanstack/react-router";
import { X } from "lucide-react";
import { type Input, useOp } from "../data/api.ts";
import { useNames } from "../data/names/names.ts";
import { Priority, ticketPath } from "../desk/index.ts";
import { useActions } from "../shell/actions.ts";
import { ErrorNotice, Loading } from "../ui/feedback.tsx";
import { State } from "../ui/state.tsx";
import { count } from "../ui/words.ts";
import { toSpanWords } from "./figure.ts";
import { readRows, toRowsTitle } from "./rows.ts";
import { Button } from "../ui/form/button.tsx";

type TicketsQuery = NonNullable<Input<"desk_report.list_tickets">["query"]>;

interface TicketSheetProps {
  readonly scope: Readonly<Record<string, string>>;
  readonly figure: string;
  readonly onClose: () => void;
}

/** Lists the tickets of a figure in a side panel. */
export function TicketSheet({ scope, figure, onClose }: TicketSheetProps) {
  const nameOf = useNames();
  const rows = readRows(figure);
  const query = { ...scope, ...rows.narrow, figure: rows.figure, limit: 100 };
  const { data, error, isPending, refetch } = useOp("desk_report.list_tickets", {
    // The server validates the search parameters.
    query: query as unknown as TicketsQuery,
  });
  useActions([{ keys: "Escape", label: "Close", run: onClose, hidden: true }]);
  const found = data?.data;
  return (
    <aside className="sheet" aria-label="Tickets">
      <header className="sheet-head">
        <h2 className="grow">
          {toRowsTitle(rows, nameOf)}
          {found && <span className="muted"> {count(found.total, "ticket")}</span>}
        </h2>
        <Button look="bare" isIcon aria-label="Close" onClick={onClose}>
          <X />
        </Button>
      </header>
      <div className="scroll sheet-rows" tabIndex={0} role="region" aria-label="Tickets">
        {error && <ErrorNotice error={error} retry={() => void refetch()} />}
        {isPending && !error && <Loading rows={8} />}
        {found?.total === 0 && <p className="muted sheet-none">No tickets.</p>}
        <ul>
          {found?.tickets.map((ticket) => (
            <li key={ticket.id}>
              <Link to={ticketPath(ticket.number)} className="sheet-line">
                <Priority priority={ticket.priority} />
                <span className="grow sheet-words">
                  <span className="cut">{ticket.title}</span>
                  <span className="muted cut">
                    <span className="mono">{ticket.number}</span>{" "}
                    {nameOf(ticket.assigneeId) ?? "Unassigned"}
                    {ticket.minutes !== null && ` · ${toSpanWords(ticket.minutes)}`}
                    {ticket.satisfaction !== null && ` · ${ticket.satisfaction} of 5`}
                  </span>
                </span>
                <State state={ticket.state} />
              </Link>
            </li>
          ))}
        </ul>
        {found && found.total > found.tickets.length && (
          <p className="muted sheet-none">
            The first {found.tickets.length} tickets are shown. Filter the report to see others.
          </p>
        )}
      </div>
    </aside>
  );
}
