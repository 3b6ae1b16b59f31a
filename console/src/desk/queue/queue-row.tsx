import { Check, CornerUpLeft, Mail } from "lucide-react";
import { memo, type MouseEvent } from "react";
import type { PresentPerson } from "../../data/live/presence.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { State } from "../../ui/state.tsx";
import { useNow } from "../../ui/time.tsx";
import { toAge } from "../../ui/words.ts";
import { DueMark, Priority } from "./due-mark.tsx";
import type { HeldRow } from "./hold.ts";
import { assigneeName, type QueueTicket } from "./queue-ticket.ts";

export interface RowHandlers {
  readonly onOpen: (number: string) => void;
  readonly onSelect: (id: string, isRange: boolean) => void;
}

interface RowProps extends RowHandlers {
  readonly held: HeldRow<QueueTicket>;
  readonly isOpen: boolean;
  readonly isSelected: boolean;
  readonly nameOf: (id: string | null | undefined) => string | undefined;
  readonly others: readonly PresentPerson[];
  readonly top: number;
  /** Keys of custom fields that are shown in the row. */
  readonly fields: readonly string[];
}

/** A ticket: due time, number and title, caller, last message, assignee, and users who have it open. */
export const QueueRow = memo(function QueueRow(props: RowProps) {
  const { held, isOpen, isSelected, nameOf, others, onOpen, onSelect } = props;
  const { row: ticket, isLeaving } = held;
  const press = (event: MouseEvent): void => {
    if (event.shiftKey || event.metaKey || event.ctrlKey) onSelect(ticket.id, event.shiftKey);
    else onOpen(ticket.number);
  };
  const className = `queue-row${isSelected ? " selected" : ""}${isLeaving ? " leaving" : ""}`;
  const caller = ticket.callerName ?? nameOf(ticket.callerId);
  return (
    <div
      id={`row-${ticket.id}`}
      role="option"
      aria-selected={isOpen}
      className={className}
      style={{ transform: `translateY(${props.top}px)` }}
      onClick={press}
    >
      <span
        className="row-check"
        aria-hidden="true"
        title="Select (x)"
        onClick={(event) => {
          event.stopPropagation();
          onSelect(ticket.id, event.shiftKey);
        }}
      >
        <Check className="ico" />
      </span>
      <Priority priority={ticket.priority} />
      <span className="row-title cut">
        {ticket.title}
        <Extras ticket={ticket} keys={props.fields} />
      </span>
      <span className="row-number mono">{ticket.number}</span>
      <span className="row-caller cut">{caller}</span>
      <LastWord ticket={ticket} nameOf={nameOf} />
      <span className="row-state">
        <State state={ticket.state} />
      </span>
      <span className="row-due">
        <DueMark due={ticket.due} onHoldReason={ticket.reason} />
      </span>
      <span className="row-people">
        {others.map(({ userId, name, state }) => (
          <span
            key={userId}
            className="row-other"
            title={`${name} ${state === "editing" ? "writes" : "is viewing this ticket"}`}
          >
            <Avatar name={name} />
          </span>
        ))}
        <Avatar name={assigneeName(ticket, nameOf)} />
      </span>
    </div>
  );
});

/** Tags and custom fields are shown after the title, because they differ between tickets. */
function Extras({
  ticket,
  keys,
}: {
  readonly ticket: QueueTicket;
  readonly keys: readonly string[];
}) {
  const values = keys.flatMap((key) => toFieldWords(ticket.fields[key]));
  return (
    <>
      {values.map((value) => (
        <span key={value} className="row-extra">
          {value}
        </span>
      ))}
      {ticket.tags.map((tag) => (
        <span key={tag} className="row-extra row-tag">
          {tag}
        </span>
      ))}
    </>
  );
}

function toFieldWords(value: unknown): readonly string[] {
  if (typeof value === "boolean") return value ? ["yes"] : [];
  return typeof value === "string" || typeof value === "number" ? [String(value)] : [];
}

/** Removes the word "ago", because the whole column shows ages. */
const toShortAge = (at: string, nowMs: number): string =>
  toAge(at, nowMs).replace(" ago", "").replace("yesterday", "1d");

function LastWord({
  ticket,
  nameOf,
}: {
  readonly ticket: QueueTicket;
  readonly nameOf: RowProps["nameOf"];
}) {
  const now = useNow();
  const { lastWord } = ticket;
  if (!lastWord) {
    return <span className="row-word muted cut">{toShortAge(ticket.createdAt, now)}</span>;
  }
  const name = lastWord.isCaller ? ticket.callerName : nameOf(lastWord.by);
  const who = name?.split(" ")[0] ?? "Unknown user";
  const Icon = lastWord.isCaller ? Mail : CornerUpLeft;
  return (
    <span
      className={`row-word cut${lastWord.isCaller ? " waits" : " muted"}`}
      title={lastWord.isCaller ? "Last message from the caller" : `Last reply from ${who}`}
    >
      <Icon className="ico" aria-hidden="true" />
      <span className="cut">{who}</span> {toShortAge(lastWord.at, now)}
    </span>
  );
}
