/** Imports a file into a table: what would happen is said first, with the lines that can't be read. */
import "../table-page.css";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { call, type Reply, useOp } from "../../data/api.ts";
import { useTitle } from "../../shell/title.ts";
import { ErrorNotice } from "../../ui/feedback.tsx";
import { Field } from "../../ui/field.tsx";
import { notify } from "../../ui/toast.tsx";
import { count } from "../../ui/words.ts";
import { type Cells, guessSeparator, parseCells } from "../book/clipboard.ts";
import { type TableShape, toLabel } from "../column/column.ts";
import { toImportCsv } from "./import-csv.ts";

type ImportResult = Reply<"records.import">["data"];

export function ImportPage() {
  const { slug } = useParams({ from: "/inside/tables/$slug/import" });
  const navigate = useNavigate();
  const table = useOp("tables.get", { params: { slug } }).data?.data;
  useTitle(table && `Import into ${table.name}`);
  const [text, setText] = useState("");
  const [mapping, setMapping] = useState<Readonly<Record<string, string>>>({});
  const [key, setKey] = useState("");
  const [result, setResult] = useState<ImportResult>();
  const [error, setError] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const clean = text.replace(/^\uFEFF/, "").replace(/\r?\n$/, "");
  const cells = clean === "" ? [] : parseCells(clean, guessSeparator(clean));
  const [titles = []] = cells;
  const names = table?.columns.map(({ name }) => name) ?? [];
  const fieldOf = (title: string): string => mapping[title] ?? guessField(title, names);
  const send = async (dryRun: boolean): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      const csv = toImportCsv(cells, titles.map(fieldOf), table?.columns ?? []);
      const query = { onError: "skip" as const, dryRun, ...(key !== "" && { key }) };
      const { data } = await call("records.import", { params: { slug }, query, body: { csv } });
      setResult(data);
      if (dryRun) return;
      notify(`${count(data.imported, "record")} made, ${data.updated} changed.`);
      await navigate({ to: "/tables/$slug", params: { slug } });
    } catch (problem) {
      setError(problem instanceof Error ? problem : new Error(String(problem)));
    } finally {
      setBusy(false);
    }
  };
  const take = (next: string): void => {
    setText(next);
    setResult(undefined);
  };
  return (
    <div className="page">
      <header className="page-head">
        <h1 className="cut">
          <Link to="/tables/$slug" params={{ slug }}>
            {table?.name ?? slug}
          </Link>
          <span className="muted"> / Import</span>
        </h1>
      </header>
      <div
        className="design scroll"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          void event.dataTransfer.files[0]?.text().then(take);
        }}
      >
        <FileField text={text} onText={take} />
        {titles.length > 0 && table && (
          <Mapping
            {...{ cells, fieldOf, table }}
            mapKey={key}
            onKey={setKey}
            onField={(title, name) => {
              setMapping({ ...mapping, [title]: name });
              setResult(undefined);
            }}
          />
        )}
        {error && <ErrorNotice error={error} />}
        {result && <Outcome result={result} />}
        <div className="filter-acts">
          <button
            className="btn"
            disabled={titles.length === 0 || isBusy}
            onClick={() => void send(true)}
          >
            Try it
          </button>
          <button
            className="btn main"
            disabled={!result || isBusy}
            title={result ? undefined : "Try it first: it says what would happen."}
            onClick={() => void send(false)}
          >
            Import {result ? count(result.imported + result.updated, "record") : ""}
          </button>
        </div>
      </div>
    </div>
  );
}

function Outcome({ result }: { readonly result: ImportResult }) {
  return (
    <section aria-live="polite">
      <p>
        {count(result.imported, "record")} would be made, {result.updated} changed,{" "}
        {result.unchanged} are that way already, {count(result.skipped, "line")} left out.
      </p>
      <ul className="import-faults">
        {result.errors.map(({ path, message }, n) => (
          <li key={n}>
            <strong>{path}</strong> {message}
          </li>
        ))}
      </ul>
    </section>
  );
}

function guessField(title: string, names: readonly string[]): string {
  const bare = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  return names.find((name) => bare(name) === bare(title)) ?? "";
}

interface MappingProps {
  readonly cells: Cells;
  readonly table: TableShape;
  readonly fieldOf: (title: string) => string;
  readonly onField: (title: string, name: string) => void;
  /** The field by which records that are there are found. */
  readonly mapKey: string;
  readonly onKey: (key: string) => void;
}

function Mapping({ cells, table, fieldOf, onField, mapKey, onKey }: MappingProps) {
  const [titles = [], first] = cells;
  const keys = table.columns.filter(({ unique, type }) => unique && type !== "autonumber");
  return (
    <fieldset className="design-columns">
      <legend>{count(cells.length - 1, "line")}</legend>
      {titles.map((title, n) => (
        <label key={n} className="import-line">
          <span className="cut">{title}</span>
          <span className="muted cut">{first?.[n]}</span>
          <select
            className="field"
            aria-label={`Column for ${title}`}
            value={fieldOf(title)}
            onChange={({ target }) => onField(title, target.value)}
          >
            <option value="">Leave it out</option>
            {table.columns.map(({ name }) => (
              <option key={name} value={name}>
                {toLabel(name)}
              </option>
            ))}
          </select>
        </label>
      ))}
      <label className="import-line">
        <span>Records that are there</span>
        <span />
        <select className="field" value={mapKey} onChange={({ target }) => onKey(target.value)}>
          <option value="">stay; all lines are new</option>
          {keys.map(({ name }) => (
            <option key={name} value={name}>
              are found by {toLabel(name)} and changed
            </option>
          ))}
        </select>
      </label>
    </fieldset>
  );
}

function FileField(props: { readonly text: string; readonly onText: (text: string) => void }) {
  return (
    <>
      <Field
        label="Cells of a spreadsheet, with their titles"
        help="Paste them, drop a file, or choose one: CSV or TSV."
      >
        {(control) => (
          <textarea
            {...control}
            className="field mono"
            rows={6}
            value={props.text}
            onChange={({ target }) => props.onText(target.value)}
          />
        )}
      </Field>
      <input
        type="file"
        accept=".csv,.tsv,.txt,text/csv"
        aria-label="A file"
        onChange={({ target }) => void target.files?.[0]?.text().then(props.onText)}
      />
    </>
  );
}
