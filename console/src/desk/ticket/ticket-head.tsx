import { ArrowLeft, Ellipsis, Eye, EyeOff, GitFork, Maximize2, PanelRight } from "lucide-react";
import { Link } from "@tanstack/react-router";
import { useOp } from "../../data/api.ts";
import { useMay, useMe } from "../../data/people.ts";
import type { PresentPerson } from "../../data/live/presence.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { Keys } from "../../ui/key.tsx";
import { Menu } from "../../ui/overlay/menu.tsx";
import { State } from "../../ui/state.tsx";
import { Priority } from "../queue/due-mark.tsx";
import { type Ticket, ticketPath, useClocks } from "../ticket-kind.ts";
import { Clocks } from "./clocks.tsx";
import type { OfferedAct } from "./use-acts.ts";
import type { Watch } from "./use-watch.ts";
import { Button } from "../../ui/form/button.tsx";

const PEOPLE_MAX = 3;

interface TicketHeadProps {
  readonly ticket: Ticket;
  readonly acts: readonly OfferedAct[];
  readonly people: readonly PresentPerson[];
  readonly onClose?: (() => void) | undefined;
  readonly isStripOpen: boolean;
  readonly toggleStrip: () => void;
  readonly watch: Watch;
}

/** The header: state, SLA clocks, other users, and the most relevant actions. */
export function TicketHead(props: TicketHeadProps) {
  const { ticket, acts, people, onClose, isStripOpen, toggleStrip, watch } = props;
  const { kind, number } = ticket;
  const may = useMay();
  const meId = useMe()?.user.id;
  const clocks = useClocks(kind, number, may("sla.list"));
  return (
    <header className="ticket-head">
      {onClose && (
        <Button
          look="bare"
          isIcon
          className="ticket-back"
          aria-label="Back to list"
          onClick={onClose}
        >
          <ArrowLeft />
        </Button>
      )}
      <Priority priority={ticket.priority} isMajor={ticket.isMajor} />
      <span className="mono muted ticket-number">{number}</span>
      {ticket.mergedIntoId === null ? (
        <State state={ticket.state} />
      ) : (
        <MergedInto id={ticket.mergedIntoId} />
      )}
      <span className="ticket-clocks">
        <Clocks
          clocks={clocks.data?.data ?? []}
          readAtMs={clocks.dataUpdatedAt}
          reason={ticket.onHoldReason}
        />
      </span>
      {people.length > 0 && (
        <span className="ticket-people" role="group" aria-label="Other users viewing this ticket">
          {people.slice(0, PEOPLE_MAX).map(({ userId, name, state }) => (
            <span
              key={userId}
              className={state}
              title={`${name} ${state === "editing" ? "is editing" : "is viewing"}`}
            >
              <Avatar name={name} />
            </span>
          ))}
        </span>
      )}
      <ActButtons acts={acts} isMine={ticket.assigneeId === meId} />
      <Button
        look="bare"
        isIcon
        className="ticket-wide"
        aria-pressed={watch.isOn}
        aria-label="Watch"
        title={watch.isOn ? "Stop watching (w)" : "Watch (w)"}
        onClick={watch.toggle}
      >
        {watch.isOn ? <EyeOff /> : <Eye />}
      </Button>
      <MoreMenu acts={acts} ticket={ticket} isPage={!onClose} />
      <Button
        look="bare"
        isIcon
        className="strip-button"
        aria-label="Details"
        title="Details (d)"
        aria-expanded={isStripOpen}
        onClick={toggleStrip}
      >
        <PanelRight />
      </Button>
    </header>
  );
}

/** A merged ticket links to the ticket it was merged into. */
function MergedInto({ id }: { readonly id: string }) {
  const may = useMay();
  const found = useOp("tickets.get", { params: { id } }, { enabled: may("tickets.get") });
  const number = found.data?.data.number;
  if (number === undefined) return <State state="merged" />;
  return (
    <Link to={ticketPath(number)} className="link">
      Merged into {number}
    </Link>
  );
}

/** The one or two most relevant actions; all others are in the menu. */
function ActButtons({
  acts,
  isMine,
}: {
  readonly acts: readonly OfferedAct[];
  readonly isMine: boolean;
}) {
  const take = acts.find(({ id }) => id === "take");
  const main = acts.find(({ isMain }) => isMain === true);
  return (
    <>
      {take && !isMine && <ActButton act={take} />}
      {main && <ActButton act={main} isMain />}
    </>
  );
}

function ActButton({ act, isMain }: { readonly act: OfferedAct; readonly isMain?: boolean }) {
  return (
    <Button refusal={act.disabled} look={isMain ? "main" : undefined} onClick={act.run}>
      {act.label} {act.keys && <Keys keys={act.keys} />}
    </Button>
  );
}

function MoreMenu({
  acts,
  ticket,
  isPage,
}: {
  readonly acts: readonly OfferedAct[];
  readonly ticket: Ticket;
  readonly isPage: boolean;
}) {
  return (
    <>
      <Menu
        label="More actions"
        items={acts.map(({ label, keys, run, disabled, isDangerous, id }) => ({
          label,
          keys,
          onPick: run,
          disabled,
          ...(isDangerous && { isDangerous }),
          isApart: id === "escalate",
        }))}
      >
        <Ellipsis />
      </Menu>
      <Link
        className="btn bare icon ticket-wide"
        to="/causes/$of"
        params={{ of: ticket.id }}
        aria-label="Causes and effects"
        title="Causes and effects"
      >
        <GitFork />
      </Link>
      {!isPage && (
        <Link
          className="btn bare icon ticket-wide"
          to={ticketPath(ticket.number)}
          aria-label="Open full page"
          title="Open full page"
        >
          <Maximize2 />
        </Link>
      )}
    </>
  );
}
