import "./desk.css";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import { cache, query as queryOf } from "../data/api.ts";
import { useRefusals } from "../data/people.ts";
import { useActions } from "../shell/actions.ts";
import { leaveField } from "../shell/keys/focus-guard.ts";
import { setTitle } from "../shell/title.ts";
import { NOTHING, type Selection } from "../ui/behaviour/selection.ts";
import { Empty, ErrorNotice, Loading } from "../ui/feedback.tsx";
import { Keys } from "../ui/key.tsx";
import { CreateDialog } from "./create/create-dialog.tsx";
import { BulkBar } from "./bulk/bulk-bar.tsx";
import { FilterBar } from "./queue/filter-bar.tsx";
import { nextAfter } from "./queue/hold.ts";
import { QueueList } from "./queue/queue-list.tsx";
import type { QueueTicket } from "./queue/queue-ticket.ts";
import { type Queue, useQueue } from "./queue/use-queue.ts";
import { useQueueKeys } from "./queue/use-queue-keys.ts";
import { toListQuery, type View, viewOf } from "./queue/views.ts";
import { NarrowNote } from "./saved/narrow-note.tsx";
import { ViewMenu } from "./saved/view-menu.tsx";
import { DisplayMenu } from "./display/display-menu.tsx";
import { toColumns } from "./display/display.ts";
import { useDisplay } from "./display/use-display.ts";
import { ViewList } from "./queue/view-list.tsx";
import { useViews, type Views } from "./queue/use-views.ts";
import type { DeskSearch } from "./search.ts";
import { getOf, kindOf, timelineInput, timelineOf } from "./ticket-kind.ts";
import { TicketPanel } from "./ticket/ticket-panel.tsx";
import { Button } from "../ui/form/button.tsx";

const QUEUE_ID = "desk-queue";

/** The service desk: views, the queue sorted by due time, and the open ticket, on one page. */
export function Desk() {
  const search = useSearch({ from: "/inside/desk" });
  const navigate = useNavigate();
  const refusalOf = useRefusals();
  const views = useViews();
  const view = viewOf(search.view, views.all);
  const listQuery = useMemo(() => toListQuery(view, search), [view, search]);
  const [selection, setSelection] = useState<Selection>(NOTHING);
  const isSelecting = selection.ids.size > 0;
  const queue = useQueue(listQuery, { openNumber: search.open, isSelecting });
  const { rows } = queue;
  const [isCreating, setCreating] = useState(false);
  const show = (next: Partial<DeskSearch>, isStep = false): void =>
    void navigate({ to: "/desk", search: { ...search, ...next }, replace: isStep });
  const open = (number: string | undefined): void =>
    show({ open: number }, search.open !== undefined && number !== undefined);
  const current = rows.find(({ row }) => row.number === search.open)?.row;
  const goNext = (): void => {
    leaveField(document.querySelector(".desk > .ticket"), document.querySelector(".queue-rows"));
    open(nextAfter(rows, current?.id)?.number);
  };
  const { select, clear } = useQueueKeys(
    rows.map(({ row }) => row),
    current,
    { selection, setSelection, open },
  );
  usePrefetchNext(
    rows.map(({ row }) => row),
    search.open,
  );
  useEffect(() => {
    if (search.open === undefined) setTitle(`${view.label} · Desk`);
  }, [search.open, view.label]);
  const refusal = refusalOf("incidents.update");
  useActions([
    { keys: "c", label: "Create ticket", run: () => setCreating(true), disabled: refusal },
  ]);
  const kind = search.open === undefined ? undefined : kindOf(search.open);
  return (
    <div className={`desk${kind ? " has-open" : ""}`}>
      <h1 className="hide">Desk</h1>
      <ViewList
        views={views}
        chosen={view.id}
        onChoose={(id) => {
          // Focuses the queue, so that Enter does not press the view's button again.
          document.getElementById(QUEUE_ID)?.focus();
          if (id !== view.id) show({ view: id, open: undefined });
        }}
        menuOf={({ saved }) =>
          saved && (
            <ViewMenu
              saved={saved}
              onGone={() => view.id === saved.id && show({ view: undefined, open: undefined })}
            />
          )
        }
      />
      <QueuePane
        {...{ search, show, view, views, queue, selection, select, clear, open, refusal }}
        onCreate={() => setCreating(true)}
      />
      {kind && search.open !== undefined ? (
        <TicketPanel
          key={search.open}
          kind={kind}
          number={search.open}
          onClose={() => open(undefined)}
          onNext={goNext}
          isSelecting={isSelecting}
        />
      ) : (
        <Hello hasRows={rows.length > 0} />
      )}
      {isCreating && (
        <CreateDialog
          onClose={() => setCreating(false)}
          onCreated={(number) => {
            setCreating(false);
            open(number);
          }}
        />
      )}
    </div>
  );
}

interface QueuePaneProps {
  readonly search: DeskSearch;
  readonly show: (next: Partial<DeskSearch>, isStep?: boolean) => void;
  readonly view: View;
  readonly views: Views;
  readonly queue: Queue;
  readonly selection: Selection;
  readonly select: (id: string, isRange: boolean) => void;
  readonly clear: () => void;
  readonly open: (number: string | undefined) => void;
  readonly refusal: string | undefined;
  readonly onCreate: () => void;
}

/** The middle pane: filters, rows, and actions on the selected ones. */
function QueuePane(props: QueuePaneProps) {
  const { search, show, view, views, queue, selection, refusal } = props;
  const { rows, error, isPending } = queue;
  const [display, setDisplay] = useDisplay(view);
  const choose = (id: string): void =>
    show({ view: id, open: undefined, only: undefined, q: undefined });
  return (
    <section id={QUEUE_ID} className="queue" aria-label={view.label} tabIndex={-1}>
      <header className="queue-head">
        <FilterBar
          {...{ search, view, views }}
          onChange={(next) => show(next, true)}
          onView={choose}
        />
        <DisplayMenu display={display} onChange={setDisplay} />
        <Button
          isIcon
          aria-label="Create ticket"
          title={refusal ?? "Create ticket (c)"}
          disabled={refusal !== undefined}
          onClick={props.onCreate}
        >
          <Plus />
        </Button>
      </header>
      <NarrowNote
        {...{ view, search }}
        columns={toColumns(display)}
        total={queue.total}
        onView={choose}
      />
      {queue.isReordered && (
        <p className="queue-note" role="status">
          <span className="grow">The order has changed</span>
          <Button onClick={queue.reorder}>Refresh</Button>
        </p>
      )}
      {error && <ErrorNotice error={error} retry={queue.retry} />}
      {isPending && !error && <Loading rows={12} />}
      {!isPending && rows.length === 0 && !error && (
        <NothingHere
          search={search}
          nothing={view.nothing}
          onClear={() => show({ q: undefined, only: undefined })}
        />
      )}
      {rows.length > 0 && (
        <QueueList
          rows={rows}
          display={display}
          open={search.open}
          selection={selection}
          onOpen={props.open}
          onSelect={props.select}
          onEnd={queue.readMore}
        />
      )}
      <BulkBar rows={rows} selection={selection} onClear={props.clear} />
    </section>
  );
}

/** Prefetches the next ticket, so that it opens without delay. */
function usePrefetchNext(rows: readonly QueueTicket[], open: string | undefined): void {
  const at = rows.findIndex(({ number }) => number === open);
  const next = rows[at + 1];
  useEffect(() => {
    if (!next || open === undefined) return undefined;
    const timer = setTimeout(() => {
      void cache.prefetchQuery(queryOf(getOf(next.kind), { params: { id: next.number } }));
      void cache.prefetchQuery(queryOf(timelineOf(next.kind), timelineInput(next.number)));
    }, 200);
    return () => clearTimeout(timer);
  }, [next?.number, open]);
}

function NothingHere(props: {
  readonly search: DeskSearch;
  readonly nothing: string;
  readonly onClear: () => void;
}) {
  const { q, only } = props.search;
  if (q === undefined && only === undefined)
    return <Empty title="No tickets">{props.nothing}</Empty>;
  return (
    <Empty
      title="No tickets match the filter"
      action={<Button onClick={props.onClear}>Clear filter</Button>}
    />
  );
}

const FIRST_KEYS = [
  ["j", "next"],
  ["t", "assign to me"],
  ["r", "reply"],
  ["e", "resolve"],
  ["/", "filter"],
  ["?", "all shortcuts"],
] as const;

function Hello({ hasRows }: { readonly hasRows: boolean }) {
  return (
    <section className="desk-none empty" aria-label="No ticket selected">
      <strong>{hasRows ? "Select a ticket" : "No ticket selected"}</strong>
      <p className="desk-keys">
        {FIRST_KEYS.map(([keys, word]) => (
          <span key={keys}>
            <Keys keys={keys} /> {word}
          </span>
        ))}
      </p>
    </section>
  );
}
