import "./ticket.css";
import { ArrowLeft, Ellipsis, GitFork, Maximize2, PanelRight } from "lucide-react";
import { Link } from "@tanstack/react-router";
import { useMemo, useRef, useState } from "react";
import { useMay, useMe, useNames } from "../../data/people.ts";
import { usePresence } from "../../data/presence.ts";
import { useActions } from "../../shell/actions.ts";
import { useTitle } from "../../shell/title.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { Keys } from "../../ui/key.tsx";
import { Menu } from "../../ui/overlay/menu.tsx";
import { State } from "../../ui/state.tsx";
import { Composer, type ComposerHandle } from "../composer/composer.tsx";
import { useLetter } from "../composer/use-letter.ts";
import { Priority } from "../queue/due-mark.tsx";
import { toStream } from "../stream/moments.ts";
import { Stream } from "../stream/stream.tsx";
import { Strip } from "../strip/strip.tsx";
import {
  type Kind,
  KINDS,
  type Moment,
  type Ticket,
  ticketPath,
  toTicket,
  useClocks,
  useTicket,
  useTimeline,
} from "../ticket-kind.ts";
import { ActDialog } from "./act-dialog.tsx";
import { Clocks } from "./clocks.tsx";
import { ConflictNotice } from "./conflict-notice.tsx";
import { type OfferedAct, useTicketActs } from "./use-acts.ts";

interface TicketPanelProps {
  readonly kind: Kind;
  readonly number: string;
  /** Back to the list; absent where the ticket is the page. */
  readonly onClose?: (() => void) | undefined;
  readonly onNext?: (() => void) | undefined;
}

/** A ticket of any kind: its state and clocks, its story, the place to answer, and all that belongs to it. */
export function TicketPanel({ kind, number, onClose, onNext }: TicketPanelProps) {
  const { data, error, refetch } = useTicket(kind, number);
  const ticket = useMemo(() => (data ? toTicket(kind, data.data) : undefined), [kind, data]);
  useTitle(ticket && `${ticket.number} ${ticket.title}`);
  if (error && !ticket) {
    return (
      <section className="ticket" aria-label={number}>
        <ErrorNotice error={error} retry={() => void refetch()} />
      </section>
    );
  }
  // While another is read, the former stays in the cache: it is not this one.
  if (!ticket || (ticket.number !== number && ticket.id !== number)) {
    return (
      <section className="ticket" aria-label={number}>
        <Loading rows={9} />
      </section>
    );
  }
  return <Opened key={ticket.id} {...{ ticket, onClose, onNext }} />;
}

interface OpenedProps extends Pick<TicketPanelProps, "onClose" | "onNext"> {
  readonly ticket: Ticket;
}

function Opened({ ticket, onClose, onNext }: OpenedProps) {
  const { kind, number, id } = ticket;
  const may = useMay();
  const nameOf = useNames();
  const meId = useMe()?.user.id;
  const timeline = useTimeline(kind, number);
  const clocks = useClocks(kind, number, may("sla:read"));
  const moments = timeline.data?.data as readonly Moment[] | undefined;
  const stream = useMemo(
    () => toStream(moments ?? [], nameOf, ticket.callerId),
    [moments, nameOf, ticket.callerId],
  );
  const acts = useTicketActs(ticket);
  const composer = useRef<ComposerHandle>(null);
  const [isStripOpen, setStripOpen] = useState(false);
  const letter = useLetter(ticket, stream, moments !== undefined, () => onNext?.());
  const people = usePresence(id, { isEditing: letter.isWriting });
  const writers = people.filter(({ state }) => state === "editing").map(({ name }) => name);
  const callerName = nameOf(ticket.callerId) ?? nameOf(ticket.createdBy);
  const mayWrite = may(KINDS[kind].write) || kind === "request";
  const refusal = mayWrite ? undefined : `You may read this, not answer it (${KINDS[kind].write}).`;
  useActions([
    ...acts.acts.map((act) => ({
      ...(act.keys !== undefined && { keys: act.keys }),
      label: `${act.label.replace("…", "")} ${number}`,
      run: act.run,
      disabled: act.disabled,
    })),
    {
      keys: "a",
      label: "Take it",
      run: () => acts.acts.find((act) => act.id === "take")?.run(),
      hidden: true,
    },
    {
      keys: "r",
      label: "Reply to the caller",
      run: () => composer.current?.write(false),
      disabled: refusal,
    },
    {
      keys: "i",
      label: "Internal note",
      run: () => composer.current?.write(true),
      disabled: refusal,
    },
    { keys: "d", label: "Show or hide the details", run: () => setStripOpen(!isStripOpen) },
  ]);
  const completion = useMemo(() => ({ modules: [], people: [] }), []);
  const firstName = callerName?.split(" ")[0];
  return (
    <section
      className={`ticket${isStripOpen ? " strip-open" : ""}`}
      aria-label={`${KINDS[kind].word} ${number}`}
    >
      <header className="ticket-head">
        {onClose && (
          <button
            className="btn bare icon ticket-back"
            aria-label="Back to the list"
            onClick={onClose}
          >
            <ArrowLeft />
          </button>
        )}
        <Priority priority={ticket.priority} isMajor={ticket.isMajor} />
        <span className="mono muted ticket-number">{number}</span>
        <State state={ticket.state} />
        <span className="ticket-clocks">
          <Clocks
            clocks={clocks.data?.data ?? []}
            readAtMs={clocks.dataUpdatedAt}
            reason={ticket.onHoldReason}
          />
        </span>
        {people.length > 0 && (
          <span className="ticket-people" role="group" aria-label="Who else is here">
            {people.slice(0, 3).map(({ userId, name, state }) => (
              <span
                key={userId}
                className={state}
                title={`${name} ${state === "editing" ? "is writing" : "has it open"}`}
              >
                <Avatar name={name} />
              </span>
            ))}
          </span>
        )}
        <ActButtons acts={acts.acts} isMine={ticket.assigneeId === meId} />
        <MoreMenu acts={acts.acts} ticket={ticket} isPage={!onClose} />
        <button
          className="btn bare icon strip-button"
          aria-label="Details"
          title="Details (d)"
          aria-expanded={isStripOpen}
          onClick={() => setStripOpen(!isStripOpen)}
        >
          <PanelRight />
        </button>
      </header>
      {acts.conflict && (
        <ConflictNotice
          conflict={acts.conflict}
          newest={stream.findLast(({ actor }) => actor.id !== meId)}
          onInsist={acts.insist}
          onForget={acts.forget}
        />
      )}
      <div className="ticket-body">
        <div className="ticket-main">
          <div className="ticket-scroll scroll" tabIndex={0} role="region" aria-label="Story">
            <h2 className="ticket-title">{ticket.title}</h2>
            {timeline.error && (
              <ErrorNotice error={timeline.error} retry={() => void timeline.refetch()} />
            )}
            {moments ? (
              <Stream {...{ ticket, callerName }} entries={stream} />
            ) : (
              !timeline.error && <Loading rows={5} />
            )}
          </div>
          <Composer
            handle={composer}
            letter={letter.letter}
            onChange={letter.change}
            onSend={(way) => void letter.send(way)}
            isBusy={letter.isBusy}
            disabled={refusal}
            canResolve={
              kind === "incident" &&
              acts.acts.some((act) => act.id === "resolve" && act.disabled === undefined)
            }
            callerName={firstName}
            unseen={letter.unseen}
            isWarned={letter.isWarned}
            writers={writers}
            completion={completion}
            onFiles={() => undefined}
          />
        </div>
        <Strip
          ticket={ticket}
          onInsert={(text) => composer.current?.insert(text)}
          onClose={() => setStripOpen(false)}
        />
      </div>
      {acts.asked && (
        <ActDialog
          act={acts.asked.act}
          number={number}
          onSubmit={acts.submit}
          onClose={acts.close}
        />
      )}
    </section>
  );
}

/** The one or two acts that matter now; everything else is behind the dots. */
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
    <button
      className={isMain ? "btn main" : "btn"}
      disabled={act.disabled !== undefined}
      title={act.disabled}
      onClick={act.run}
    >
      {act.label} {act.keys && <Keys keys={act.keys} />}
    </button>
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
        label="More acts"
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
        aria-label="Why: causes and effects"
        title="Why: causes and effects"
      >
        <GitFork />
      </Link>
      {!isPage && (
        <Link
          className="btn bare icon ticket-wide"
          to={ticketPath(ticket.number)}
          aria-label="Open on a page of its own"
          title="Open on a page of its own"
        >
          <Maximize2 />
        </Link>
      )}
    </>
  );
}
