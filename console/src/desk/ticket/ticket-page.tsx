import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { isMoment } from "../../past/index.ts";
import { NotFound } from "../../shell/not-found.tsx";
import { kindOf, kindOfPath } from "../ticket-kind.ts";
import { PastTicket } from "./past-ticket.tsx";
import { TicketPanel } from "./ticket-panel.tsx";

/** Shows a ticket as a full page, current or at a point in time. */
export function TicketPage() {
  const { kind: path, number } = useParams({ from: "/inside/desk/$kind/$number" });
  const { at } = useSearch({ from: "/inside/desk/$kind/$number" });
  const navigate = useNavigate();
  const kind = kindOfPath(path);
  if (kind === undefined || kindOf(number) !== kind) return <NotFound />;
  const show = (moment: string | undefined): void =>
    void navigate({
      to: "/desk/$kind/$number",
      params: { kind: path, number },
      search: { at: moment },
      replace: at !== undefined && moment !== undefined,
    });
  return (
    <div className="ticket-page">
      {isMoment(at) ? (
        <PastTicket key={number} {...{ kind, number, at }} onAt={show} />
      ) : (
        <TicketPanel key={number} kind={kind} number={number} />
      )}
    </div>
  );
}
