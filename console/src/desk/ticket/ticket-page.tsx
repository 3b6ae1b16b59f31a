import { useParams } from "@tanstack/react-router";
import { NotFound } from "../../shell/not-found.tsx";
import { kindOf, kindOfPath } from "../ticket-kind.ts";
import { TicketPanel } from "./ticket-panel.tsx";

/** A ticket of any kind on a page of its own. */
export function TicketPage() {
  const { kind: path, number } = useParams({ from: "/inside/desk/$kind/$number" });
  const kind = kindOfPath(path);
  if (kind === undefined || kindOf(number) !== kind) return <NotFound />;
  return (
    <div className="ticket-page">
      <TicketPanel key={number} kind={kind} number={number} />
    </div>
  );
}
