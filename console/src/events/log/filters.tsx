import { SlidersHorizontal, X } from "lucide-react";
import { useEffect, useState } from "react";
import { useOp } from "../../data/api.ts";
import { EverybodyCombobox } from "../../data/options/person-combobox.tsx";
import { useDebounced } from "../../ui/behaviour/debounce.ts";
import { Combobox } from "../../ui/overlay/combobox.tsx";
import { type EventsSearch, countFilters } from "../search.ts";
import { Button } from "../../ui/form/button.tsx";
import { TextInput } from "../../ui/form/controls.tsx";

const PAUSE_MS = 250;

/** The search fields; filters set from an event are shown as chips. */
export function EventFilters(props: {
  readonly search: EventsSearch;
  readonly onChange: (change: EventsSearch) => void;
  readonly onClear: () => void;
}) {
  const { search, onChange } = props;
  const types = useOp("event_types.list").data?.data ?? [];
  const topics = useOp("topics.list", { query: { limit: 200 } }).data?.data ?? [];
  const [isOpen, setOpen] = useState(false);
  const count = countFilters(search);
  const namespaces = [...new Set(types.map(({ type }) => type.split(".")[0] ?? ""))];
  return (
    <div
      className={isOpen ? "events-filters open" : "events-filters"}
      role="search"
      aria-label="Filter"
    >
      <TextField value={search.q ?? ""} onChange={(q) => onChange({ q })} />
      <Button
        className="events-toggle"
        aria-expanded={isOpen}
        onClick={() => setOpen((was) => !was)}
      >
        <SlidersHorizontal /> Filters {count > 0 && count}
      </Button>
      <Combobox
        label="Type"
        placeholder="Any type"
        isFree
        options={[
          ...namespaces.map((name) => ({ value: `${name}.*`, label: `${name}.*` })),
          ...types.map(({ type, summary }) => ({ value: type, label: type, about: summary })),
        ]}
        value={search.type ?? ""}
        onChange={(type) => onChange({ type: type || undefined })}
      />
      <Combobox
        label="Topic"
        placeholder="Any topic"
        isFree
        options={topics.map(({ name, events }) => ({
          value: name,
          label: name,
          about: `${events.toLocaleString("en")} events`,
        }))}
        value={search.topic ?? ""}
        onChange={(topic) => onChange({ topic: topic || undefined })}
      />
      <EverybodyCombobox
        label="Person"
        placeholder="Any person"
        isFree
        value={search.actor ?? ""}
        onChange={(actor) => onChange({ actor: actor || undefined })}
      />
      <Time label="From" value={search.from} onChange={(from) => onChange({ from })} />
      <Time label="To" value={search.to} onChange={(to) => onChange({ to })} />
      <Chip label="Resource" value={search.thing} onClear={() => onChange({ thing: undefined })} />
      <Chip
        label="Resource type"
        value={search.kind}
        onClear={() => onChange({ kind: undefined })}
      />
      <Chip
        label="Correlation ID"
        value={search.chain}
        onClear={() => onChange({ chain: undefined })}
      />
      {count > 0 && (
        <Button look="bare" onClick={props.onClear}>
          Clear
        </Button>
      )}
    </div>
  );
}

function TextField(props: {
  readonly value: string;
  readonly onChange: (value: string | undefined) => void;
}) {
  const { value, onChange } = props;
  const [text, setText] = useState(value);
  const settled = useDebounced(text.trim(), PAUSE_MS);
  useEffect(() => {
    if (settled !== value) onChange(settled || undefined);
    // Runs only after typing has stopped, because the address can also change otherwise.
  }, [settled]);
  useEffect(() => setText(value), [value]);
  return (
    <TextInput
      id="events-text"
      aria-label="Search event text"
      placeholder="Search event text"
      spellCheck={false}
      value={text}
      onChange={({ target }) => setText(target.value)}
      onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
    />
  );
}

function Time(props: {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}) {
  return (
    <label className="row events-time">
      {props.label}
      <TextInput
        type="datetime-local"
        step={1}
        value={props.value ?? ""}
        onChange={({ target }) => props.onChange(target.value || undefined)}
      />
    </label>
  );
}

function Chip(props: {
  readonly label: string;
  readonly value: string | undefined;
  readonly onClear: () => void;
}) {
  if (props.value === undefined) return null;
  return (
    <span className="events-chip">
      <span className="muted">{props.label}</span> <span className="mono cut">{props.value}</span>
      <Button look="bare" isIcon aria-label={`Any ${props.label}`} onClick={props.onClear}>
        <X />
      </Button>
    </span>
  );
}
