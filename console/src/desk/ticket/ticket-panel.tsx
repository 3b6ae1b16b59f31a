import "./ticket.css";
import { useNavigate } from "@tanstack/react-router";
import { type RefObject, useMemo, useRef, useState } from "react";
import { useNames } from "../../data/names/names.ts";
import { useMay, useRefusals } from "../../data/people.ts";
import { useStartWarnings } from "../../changes/index.ts";
import { PageBanner, PageDialog } from "../../oncall/index.ts";
import { usePresence } from "../../data/live/presence.ts";
import type { TicketAction } from "../../data/tickets/action.ts";
import { ActionDialog } from "../../data/tickets/action-dialog.tsx";
import { useActions } from "../../shell/actions.ts";
import { useTitle } from "../../shell/title.ts";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { ActPreview, type PlannedAct } from "../bulk/act-preview.tsx";
import { planMacro, useMacros } from "../bulk/use-macros.ts";
import type { ComposerHandle } from "../composer/composer.tsx";
import { LetterComposer } from "../composer/letter-composer.tsx";
import { toStream } from "../stream/moments.ts";
import { Stream } from "../stream/stream.tsx";
import { Strip } from "../strip/strip.tsx";
import {
  type Kind,
  KINDS,
  type Moment,
  type Ticket,
  toTicket,
  UPDATE,
  useTicket,
  useTimeline,
} from "../ticket-kind.ts";
import { refreshTickets } from "../ticket-cache.ts";
import { useCallerName } from "../use-caller.ts";
import { EditDialog } from "../fields/edit-dialog.tsx";
import { ConflictNotice } from "./conflict-notice.tsx";
import { useWatch } from "./use-watch.ts";
import { TicketHead } from "./ticket-head.tsx";
import { type Asked, type OfferedAct, useTicketActs } from "./use-acts.ts";

const MACRO_KEYS = 9;

interface TicketPanelProps {
  readonly kind: Kind;
  readonly number: string;
  /** Returns to the list; undefined if the ticket is the page. */
  readonly onClose?: (() => void) | undefined;
  readonly onNext?: (() => void) | undefined;
  /** True if tickets are selected in the queue: shortcuts for actions and macros then apply to them. */
  readonly isSelecting?: boolean;
}

/** A ticket of any kind: header, activity, reply box and side panel. */
export function TicketPanel({
  kind,
  number,
  onClose,
  onNext,
  isSelecting = false,
}: TicketPanelProps) {
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
  // While another ticket loads, the data still belongs to the previous one.
  if (!ticket || (ticket.number !== number && ticket.id !== number)) {
    return (
      <section className="ticket" aria-label={number}>
        <Loading rows={9} />
      </section>
    );
  }
  return <Opened key={ticket.id} {...{ ticket, onClose, onNext, isSelecting }} />;
}

interface OpenedProps extends Pick<TicketPanelProps, "onClose" | "onNext"> {
  readonly ticket: Ticket;
  readonly isSelecting: boolean;
}

function Opened({ ticket, onClose, onNext, isSelecting }: OpenedProps) {
  const { kind, number, id } = ticket;
  const may = useMay();
  const refusalOf = useRefusals();
  const nameOf = useNames();
  const timeline = useTimeline(kind, number);
  const moments = timeline.data?.data as readonly Moment[] | undefined;
  const stream = useMemo(
    () => toStream(moments ?? [], nameOf, ticket.callerId),
    [moments, nameOf, ticket.callerId],
  );
  const onSee = useSight(ticket);
  const acts = useTicketActs(ticket);
  const composer = useRef<ComposerHandle>(null);
  const [isStripOpen, setStripOpen] = useState(false);
  const [isPaging, setPaging] = useState(false);
  const [isEditing, setEditing] = useState(false);
  const allActs = withKeys(!isSelecting, [
    ...acts.acts,
    { ...EDIT, op: UPDATE[kind], disabled: refusalOf(UPDATE[kind]), run: () => setEditing(true) },
    { ...PAGE, disabled: refusalOf(PAGE.op), run: () => setPaging(true) },
  ]);
  const isRead = moments !== undefined;
  const [isWriting, setWriting] = useState(false);
  const people = usePresence(id, { isEditing: isWriting });
  const writers = people.filter(({ state }) => state === "editing").map(({ name }) => name);
  const callerName = useCallerName(ticket);
  const mayWrite = may(KINDS[kind].write) || kind === "request";
  const refusal = mayWrite
    ? undefined
    : `You don’t have permission to reply (${KINDS[kind].write}).`;
  const Title = onClose ? "h2" : "h1";
  const toggleStrip = (): void => setStripOpen(!isStripOpen);
  useTicketKeys({ acts: allActs, isSelecting, number, composer, refusal, toggleStrip });
  const watch = useWatch(ticket);
  useWatchKey(watch);
  const macro = useTicketMacros(ticket, isSelecting);
  const canResolve = acts.acts.some(({ op, disabled }) => op === "incidents.resolve" && !disabled);
  return (
    <section
      className={`ticket${isStripOpen ? " strip-open" : ""}`}
      aria-label={`${KINDS[kind].word} ${number}`}
    >
      <TicketHead
        {...{ ticket, onClose, people, isStripOpen, toggleStrip, watch }}
        acts={allActs}
      />
      <PageBanner ticketId={id} />
      {acts.conflict && (
        <ConflictNotice
          conflict={acts.conflict}
          newest={stream.findLast(({ sort }) => sort === "done")}
          onInsist={acts.insist}
          onForget={acts.forget}
        />
      )}
      <div className="ticket-body">
        <div className="ticket-main">
          <div className="ticket-scroll scroll" tabIndex={0} role="region" aria-label="Activity">
            <Title className="ticket-title">{ticket.title}</Title>
            {timeline.error && (
              <ErrorNotice error={timeline.error} retry={() => void timeline.refetch()} />
            )}
            {isRead && <Stream {...{ ticket, callerName, onSee }} entries={stream} />}
            {!isRead && !timeline.error && <Loading rows={5} />}
          </div>
          <LetterComposer
            {...{ ticket, stream, isRead, canResolve, callerName, writers }}
            handle={composer}
            disabled={refusal}
            onNext={() => onNext?.()}
            onWriting={setWriting}
          />
        </div>
        <Strip
          ticket={ticket}
          onInsert={(text) => composer.current?.insert(text)}
          onClose={() => setStripOpen(false)}
        />
      </div>
      {isEditing && <EditDialog ticket={ticket} onClose={() => setEditing(false)} />}
      {isPaging && <PageDialog number={number} onClose={() => setPaging(false)} />}
      {macro.plan && (
        <ActPreview
          plan={macro.plan}
          onClose={macro.close}
          onDone={macro.finish}
          onUndone={() => refreshTickets(kind)}
        />
      )}
      {acts.asked && <AskedAction {...acts.asked} ticket={ticket} onClose={acts.close} />}
    </section>
  );
}

interface AskedActionProps extends Asked {
  readonly ticket: Ticket;
  readonly onClose: () => void;
}

function AskedAction({ act, ticket, version, onClose }: AskedActionProps) {
  const warnings = useStartWarnings(act.needsReason ? changeOf(ticket) : undefined);
  return <ActionDialog action={act} {...{ ticket, version, warnings, onClose }} />;
}

/** Returns the fields for starting a change. */
function changeOf({ id, all }: Ticket) {
  const timeOf = (name: string): string | null => {
    const value = all[name];
    return typeof value === "string" ? value : null;
  };
  return { id, plannedStart: timeOf("plannedStart"), plannedEnd: timeOf("plannedEnd") };
}

function useWatchKey({ isOn, toggle }: Pick<ReturnType<typeof useWatch>, "isOn" | "toggle">): void {
  useActions([{ keys: "w", label: isOn ? "Stop watching" : "Watch", run: toggle }]);
}

/** Opens a ticket's page at a point in time. */
function useSight({ kind, number }: Ticket): (at: string) => void {
  const navigate = useNavigate();
  const params = { kind: KINDS[kind].path, number };
  return (at) => void navigate({ to: "/desk/$kind/$number", params, search: { at } });
}

/** The dialog with all fields of the ticket. */
const EDIT = { id: "edit", label: "Edit…", keys: "shift+d", said: "" };

/** While tickets are selected, shortcuts apply to them; the buttons of this ticket always apply to it. */
function withKeys(hasKeys: boolean, acts: readonly OfferedAct[]): readonly OfferedAct[] {
  return hasKeys ? acts : acts.map(({ keys: _, ...act }) => act);
}

const PAGE = {
  id: "page",
  label: "Page on-call…",
  keys: "p",
  op: "pages.create",
  said: "",
} satisfies TicketAction;

/** Macros on `1` to `9`: each shows its effect before it runs. */
function useTicketMacros({ id, kind }: Ticket, isSelecting: boolean) {
  const macros = useMacros(kind);
  const [plan, setPlan] = useState<PlannedAct>();
  const close = (): void => setPlan(undefined);
  useActions(
    macros.slice(0, isSelecting ? 0 : MACRO_KEYS).map((macro, n) => ({
      keys: `${n + 1}`,
      label: macro.name,
      run: () => setPlan(planMacro(macro, [id])),
    })),
  );
  const finish = (): void => {
    close();
    refreshTickets(kind);
  };
  return { plan, close, finish };
}

interface TicketKeys {
  readonly acts: readonly OfferedAct[];
  readonly isSelecting: boolean;
  readonly number: string;
  readonly composer: RefObject<ComposerHandle | null>;
  readonly refusal: string | undefined;
  readonly toggleStrip: () => void;
}

/** One shortcut per action. `a` is an alias of `t`, because other tools use it for "assign to me". */
function useTicketKeys(keyed: TicketKeys): void {
  const { acts, isSelecting, number, composer, refusal, toggleStrip } = keyed;
  const take = isSelecting ? undefined : acts.find(({ id }) => id === "take");
  useActions([
    ...acts.map(({ keys, label, run, disabled, asks }) => ({
      ...(keys !== undefined && { keys }),
      label: `${label.replace("…", "")} ${number}`,
      run,
      disabled,
      ...(asks && { asks }),
    })),
    ...(take ? [{ ...take, keys: "a", label: "Assign to me", hidden: true }] : []),
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
    { keys: "d", label: "Show or hide details", run: toggleStrip },
  ]);
}
