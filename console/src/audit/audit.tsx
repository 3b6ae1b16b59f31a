import "./audit.css";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { call, type Schemas, useOp } from "../data/api.ts";
import { EverybodyCombobox } from "../data/options/person-combobox.tsx";
import { attempt } from "../data/use-command.ts";
import { useListKeys } from "../shell/list-keys.ts";
import { useTitle } from "../shell/title.ts";
import { saveFile } from "../ui/behaviour/save-file.ts";
import { useDebounced } from "../ui/behaviour/debounce.ts";
import { Empty, ErrorNotice, Loading } from "../ui/feedback.tsx";
import { Combobox } from "../ui/overlay/combobox.tsx";
import { Ago } from "../ui/time.tsx";
import { notify } from "../ui/toast.tsx";
import { count, toWords } from "../ui/words.ts";
import { toCsv } from "./csv.ts";
import { EventSide } from "./event-side.tsx";
import { type AuditSearch, toAuditQuery } from "./search.ts";
import { nameThing } from "../events/index.ts";
import { Button, PlainButton } from "../ui/form/button.tsx";
import { TextInput } from "../ui/form/controls.tsx";

type Event = Schemas["Event"];

const PAGE = 100;
const EXPORT_MAX = 5_000;
const PAUSE_MS = 300;

/** Shows the audit log: user actions with resource, time, and values before and after. */
export function Audit() {
  useTitle("Audit log");
  const search = useSearch({ from: "/inside/settings/audit" });
  const navigate = useNavigate();
  const query = toAuditQuery(search);
  const { data, error, isPending, refetch } = useOp("audit.query", {
    query: { ...query, limit: PAGE },
  });
  const [older, setOlder] = useState<readonly Event[]>([]);
  const [cursor, setCursor] = useState<string | null>();
  const key = JSON.stringify(query);
  useEffect(() => {
    setOlder([]);
    setCursor(undefined);
  }, [key]);
  const events = [...(data?.data ?? []), ...older];
  const next = cursor === undefined ? data?.pagination.nextCursor : cursor;
  const go = (change: AuditSearch): void =>
    void navigate({ to: "/settings/audit", search: { ...search, ...change }, replace: true });
  useListKeys({
    ids: events.map(({ id }) => id),
    chosen: search.open,
    onChoose: (open) => go({ open }),
  });
  const more = async (): Promise<void> => {
    if (!next) return;
    const page = await call("audit.query", { query: { ...query, limit: PAGE, after: next } });
    setOlder((before) => [...before, ...page.data]);
    setCursor(page.pagination.nextCursor);
  };
  const chosen = events.find(({ id }) => id === search.open);
  return (
    <div className="page paper">
      <header className="page-head">
        <h1>Audit log</h1>
        <span className="grow" />
        <Button onClick={() => void attempt(() => exportEvents(query))}>Export as CSV</Button>
      </header>
      <Filters search={search} onChange={go} />
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {isPending && <Loading rows={12} />}
      {data && (
        <div className="audit-body">
          <div className="audit-list scroll" role="region" aria-label="Events" tabIndex={0}>
            {events.length === 0 && (
              <Empty title="No matching events">Remove a filter to see more.</Empty>
            )}
            {events.map((event) => (
              <Row
                key={event.id}
                event={event}
                isChosen={event.id === search.open}
                onOpen={() => go({ open: event.id === search.open ? undefined : event.id })}
              />
            ))}
            {next && (
              <Button className="audit-more" onClick={() => void attempt(more)}>
                Older
              </Button>
            )}
          </div>
          {chosen && <EventSide event={chosen} onClose={() => go({ open: undefined })} />}
        </div>
      )}
    </div>
  );
}

function Row(props: {
  readonly event: Event;
  readonly isChosen: boolean;
  readonly onOpen: () => void;
}) {
  const { createdAt, actor, type } = props.event;
  return (
    <PlainButton
      className="audit-row"
      aria-current={props.isChosen || undefined}
      onClick={props.onOpen}
    >
      <Ago at={createdAt} />
      <span className="cut">{actor.name}</span>
      <span className="cut">{toWords(type.replace(/^audit\./, ""))}</span>
      <span className="cut muted">{nameThing(props.event)}</span>
    </PlainButton>
  );
}

function Filters(props: {
  readonly search: AuditSearch;
  readonly onChange: (change: AuditSearch) => void;
}) {
  const { search, onChange } = props;
  const types = useOp("event_types.list").data?.data ?? [];
  return (
    <div className="audit-filters" role="group" aria-label="Filter">
      <div className="audit-person">
        <EverybodyCombobox
          label="Person"
          placeholder="Any person"
          value={search.person ?? ""}
          onChange={(value) => onChange({ person: value || undefined })}
        />
      </div>
      <div className="audit-person">
        <Combobox
          label="Event"
          placeholder="Any event"
          isFree
          options={[
            { value: "audit.*", label: "audit.*", about: "Security and settings" },
            ...types.map(({ type, summary }) => ({ value: type, label: type, about: summary })),
          ]}
          value={search.type ?? ""}
          onChange={(value) => onChange({ type: value || undefined })}
        />
      </div>
      <ThingField value={search.thing ?? ""} onChange={(thing) => onChange({ thing })} />
      <Day label="From" value={search.from} onChange={(from) => onChange({ from })} />
      <Day label="To" value={search.to} onChange={(to) => onChange({ to })} />
      <Button
        look="bare"
        onClick={() =>
          onChange({
            person: undefined,
            type: undefined,
            thing: undefined,
            from: undefined,
            to: undefined,
          })
        }
      >
        Clear
      </Button>
    </div>
  );
}

function ThingField(props: {
  readonly value: string;
  readonly onChange: (value: string | undefined) => void;
}) {
  const [text, setText] = useState(props.value);
  const settled = useDebounced(text.trim(), PAUSE_MS);
  const { value, onChange } = props;
  const [known, setKnown] = useState(value);
  useEffect(() => {
    if (settled !== value) onChange(settled || undefined);
    // Runs only after typing has stopped, because the address can also change otherwise.
  }, [settled]);
  // "Clear" and the browser's Back change the address, so the field is updated from it.
  if (value !== known) {
    setKnown(value);
    if (value !== settled) setText(value);
  }
  return (
    <TextInput
      aria-label="Resource"
      placeholder="Number, name or id"
      spellCheck={false}
      value={text}
      onChange={({ target }) => setText(target.value)}
    />
  );
}

function Day(props: {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}) {
  return (
    <label className="row">
      {props.label}
      <TextInput
        type="date"
        value={props.value ?? ""}
        onChange={({ target }) => props.onChange(target.value || undefined)}
      />
    </label>
  );
}

/** Loads all pages of the filter up to a limit, and downloads them as a file. */
async function exportEvents(query: ReturnType<typeof toAuditQuery>): Promise<void> {
  const events: Event[] = [];
  let after: string | undefined;
  do {
    const page = await call("audit.query", {
      query: { ...query, limit: 200, ...(after !== undefined && { after }) },
    });
    events.push(...page.data);
    after = page.pagination.nextCursor ?? undefined;
  } while (after !== undefined && events.length < EXPORT_MAX);
  saveFile(toCsv(events), "audit.csv", "text/csv");
  notify(
    after === undefined
      ? `${count(events.length, "event")} exported.`
      : `The newest ${count(events.length, "event")} exported; narrow the filter to export the others.`,
  );
}
