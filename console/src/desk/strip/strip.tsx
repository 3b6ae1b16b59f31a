import "./strip.css";
import { Link } from "@tanstack/react-router";
import { X } from "lucide-react";
import { TicketLinks } from "../../data/tickets/ticket-links.tsx";
import { Facts } from "../ticket/facts.tsx";
import { TaskList } from "../../tasks/index.ts";
import type { Ticket } from "../ticket-kind.ts";
import { CallerCard } from "./caller-card.tsx";
import { Items } from "./items.tsx";
import { OwnFields } from "./own-fields.tsx";
import { Suggestions } from "./suggestions.tsx";
import { Times } from "./times.tsx";
import { Watchers } from "./watchers.tsx";
import { Tags } from "./tags.tsx";
import { Button } from "../../ui/form/button.tsx";

interface StripProps {
  readonly ticket: Ticket;
  readonly onInsert: (text: string) => void;
  readonly onClose: () => void;
}

/** The side panel of a ticket: facts, caller, suggestions, configuration items and links. */
export function Strip({ ticket, onInsert, onClose }: StripProps) {
  return (
    <aside className="strip scroll" aria-label="Details" tabIndex={0}>
      <header className="strip-head">
        <h2 className="grow">Details</h2>
        <Button look="bare" isIcon aria-label="Close details" onClick={onClose}>
          <X />
        </Button>
      </header>
      {ticket.kind === "problem" && (
        <Link to="/problems/$id" params={{ id: ticket.number }} className="btn strip-analysis">
          Cause, workaround and incidents
        </Link>
      )}
      <Facts ticket={ticket} />
      <OwnFields ticket={ticket} />
      <Tags ticket={ticket} />
      <CallerCard ticket={ticket} />
      {ticket.kind === "incident" && <Suggestions ticket={ticket} onInsert={onInsert} />}
      {(ticket.kind === "change" || ticket.kind === "request") && (
        <div className="strip-part">
          <TaskList kind={ticket.kind} ticketId={ticket.id} />
        </div>
      )}
      <Items ticket={ticket} />
      <TicketLinks ticket={ticket} />
      <Times ticket={ticket} />
      <Watchers ticket={ticket} />
    </aside>
  );
}
