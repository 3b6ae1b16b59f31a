import "./notifications.css";
import { useParams } from "@tanstack/react-router";
import { type ReactNode } from "react";
import { useOp } from "../data/api.ts";
import { useNames } from "../data/people.ts";
import { ticketKindOf, type TicketKind } from "../data/resource-path.ts";
import { NotFound } from "../shell/not-found.tsx";
import { useTitle } from "../shell/title.ts";
import { ErrorNotice, Loading } from "../ui/feedback.tsx";
import { State } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";
import { toWords } from "../ui/words.ts";

/** The fields that all kinds of ticket have. */
interface Ticket {
  readonly number: string;
  readonly title: string;
  readonly description?: string;
  readonly state: string;
  readonly priority?: number;
  readonly assigneeId?: string | null;
  readonly teamId?: string | null;
  readonly callerId?: string | null;
  readonly requestedFor?: string | null;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

const OPERATIONS = {
  incidents: "incidents.get",
  changes: "changes.get",
  problems: "problems.get",
  requests: "requests.get",
} as const;

/** A ticket to read: what it says, where it stands, whose it is. */
export function TicketPage() {
  const { reference } = useParams({ from: "/inside/tickets/$reference" });
  const kind = ticketKindOf(reference);
  return kind ? <Ticket key={reference} kind={kind} reference={reference} /> : <NotFound />;
}

function Ticket({ kind, reference }: { readonly kind: TicketKind; readonly reference: string }) {
  const { data, error, isPending, refetch } = useOp(OPERATIONS[kind], {
    params: { id: reference },
  });
  const ticket = data?.data as Ticket | undefined;
  const nameOf = useNames();
  useTitle(ticket && `${ticket.number} ${ticket.title}`);
  return (
    <div className="scroll reading">
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {isPending && <Loading rows={6} />}
      {ticket && (
        <article className="reading-sheet">
          <p className="row">
            <span className="mono muted">{ticket.number}</span>
            <State state={ticket.state} />
          </p>
          <h1>{ticket.title}</h1>
          <dl className="reading-facts">
            <Fact name="Kind">{toWords(kind).replace(/s$/, "")}</Fact>
            {ticket.priority !== undefined && <Fact name="Priority">{ticket.priority}</Fact>}
            <Fact name="Assigned to">
              {nameOf(ticket.assigneeId) ?? nameOf(ticket.teamId) ?? "Nobody yet"}
            </Fact>
            <Fact name="For">
              {nameOf(ticket.callerId ?? ticket.requestedFor ?? ticket.createdBy) ?? "–"}
            </Fact>
            <Fact name="Opened">
              <Ago at={ticket.createdAt} />
            </Fact>
            <Fact name="Changed">
              <Ago at={ticket.updatedAt} />
            </Fact>
          </dl>
          {ticket.description !== undefined && ticket.description !== "" && (
            <p className="reading-text">{ticket.description}</p>
          )}
        </article>
      )}
    </div>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt className="muted">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
