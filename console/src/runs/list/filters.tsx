import { Search, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useOp } from "../../data/api.ts";
import { useActions } from "../../shell/actions.ts";
import { toWords } from "../../ui/words.ts";
import { isFiltered, type RunsSearch, SPANS, type Span, TRIGGERS } from "./search.ts";
import { Button } from "../../ui/form/button.tsx";
import { Select, TextInput } from "../../ui/form/controls.tsx";

const KEPT_MS = 300_000;
const PAUSE_MS = 250;
const SPAN_WORDS: Readonly<Record<Span, string>> = {
  "1h": "Last hour",
  "24h": "Last 24 hours",
  "7d": "Last 7 days",
  "30d": "Last 30 days",
};
const TRIGGER_WORDS: Readonly<Record<string, string>> = {
  manual: "Manual",
  event_bus: "Event",
  subworkflow: "Subworkflow",
  error: "Error",
};

interface FilterProps {
  readonly search: RunsSearch;
  readonly onChange: (next: Partial<RunsSearch>) => void;
}

/** The filters of the list, all stored in the address. */
export function RunFilters({ search, onChange }: FilterProps) {
  const workflows = useOp("workflows.list", { query: { limit: 200 } }, { staleTime: KEPT_MS }).data;
  const isCustom =
    search.until !== undefined ||
    (search.since !== undefined && !SPANS.includes(search.since as Span));
  return (
    <div className="runs-filters" role="search" aria-label="Filters">
      <ErrorText search={search} onChange={onChange} />
      <Pick
        label="Workflow"
        all="All workflows"
        value={search.workflow}
        options={(workflows?.data ?? []).map(({ id, name }) => [id, name])}
        onPick={(workflow) => onChange({ workflow, version: undefined })}
      />
      <Pick
        label="Trigger"
        all="Any trigger"
        value={search.trigger}
        options={TRIGGERS.map((trigger) => [trigger, TRIGGER_WORDS[trigger] ?? toWords(trigger)])}
        onPick={(trigger) => onChange({ trigger: TRIGGERS.find((name) => name === trigger) })}
      />
      <Pick
        label="Time"
        all="Any time"
        value={isCustom ? "custom" : search.since}
        options={[
          ...SPANS.map((span) => [span, SPAN_WORDS[span]] as const),
          ["custom", "Custom period"],
        ]}
        onPick={(span) =>
          onChange({
            since: span === "custom" ? new Date().toISOString().slice(0, 10) : span,
            until: undefined,
          })
        }
      />
      {isCustom && (
        <>
          <DayField label="From" value={search.since} onChange={(since) => onChange({ since })} />
          <DayField label="Until" value={search.until} onChange={(until) => onChange({ until })} />
        </>
      )}
      <Pick
        label="Dry runs"
        all="With dry runs"
        value={search.tests}
        options={[
          ["no", "Without dry runs"],
          ["only", "Dry runs only"],
        ]}
        onPick={(tests) =>
          onChange({ tests: tests === "no" || tests === "only" ? tests : undefined })
        }
      />
      {search.workflow !== undefined && <VersionField search={search} onChange={onChange} />}
      {isFiltered(search) && (
        <Button
          look="bare"
          onClick={() =>
            onChange({
              workflow: undefined,
              trigger: undefined,
              since: undefined,
              until: undefined,
              version: undefined,
              tests: undefined,
              q: undefined,
            })
          }
        >
          <X /> Clear
        </Button>
      )}
    </div>
  );
}

function Pick(props: {
  readonly label: string;
  readonly all: string;
  readonly value: string | undefined;
  readonly options: readonly (readonly [string, string])[];
  readonly onPick: (value: string | undefined) => void;
}) {
  const { value, options } = props;
  const isKnown = value === undefined || options.some(([name]) => name === value);
  return (
    <Select
      isBare
      className={`field runs-pick${value === undefined ? "" : " is-set"}`}
      aria-label={props.label}
      value={value ?? ""}
      onChange={(event) => props.onPick(event.target.value === "" ? undefined : event.target.value)}
    >
      <option value="">{props.all}</option>
      {!isKnown && <option value={value}>{value}</option>}
      {options.map(([name, words]) => (
        <option key={name} value={name}>
          {words}
        </option>
      ))}
    </Select>
  );
}

function DayField(props: {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (day: string | undefined) => void;
}) {
  return (
    <TextInput
      type="date"
      aria-label={props.label}
      value={props.value?.slice(0, 10) ?? ""}
      onChange={({ target }) => props.onChange(target.value === "" ? undefined : target.value)}
    />
  );
}

function VersionField({ search, onChange }: FilterProps) {
  return (
    <TextInput
      isBare
      className={`field runs-version${search.version === undefined ? "" : " is-set"}`}
      type="number"
      min={1}
      placeholder="Version"
      aria-label="Version"
      value={search.version ?? ""}
      onChange={({ target }) => {
        const version = Number(target.value);
        onChange({ version: Number.isInteger(version) && version > 0 ? version : undefined });
      }}
    />
  );
}

/** Search words of the error, applied when the user stops typing. */
function ErrorText({ search, onChange }: FilterProps) {
  const [text, setText] = useState(search.q ?? "");
  const field = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => setText(search.q ?? ""), [search.q]);
  useEffect(() => () => clearTimeout(timer.current), []);
  useActions([{ keys: "f", label: "Search errors", run: () => field.current?.focus() }]);
  return (
    <label className="runs-find">
      <Search className="ico" />
      <span className="hide">Text of the error</span>
      <TextInput
        isBare
        ref={field}
        className={`field${search.q === undefined ? "" : " is-set"}`}
        type="text"
        placeholder="Search errors"
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          clearTimeout(timer.current);
          const q = target.value.trim();
          timer.current = setTimeout(() => onChange({ q: q === "" ? undefined : q }), PAUSE_MS);
        }}
        onKeyDown={(event) => event.key === "Escape" && field.current?.blur()}
      />
    </label>
  );
}
