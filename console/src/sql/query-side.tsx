import { Link } from "@tanstack/react-router";
import { ChevronRight, History, Table2 } from "lucide-react";
import { useState } from "react";
import type { Schemas } from "../data/api.ts";
import { Tabs } from "../ui/tabs.tsx";
import { Ago } from "../ui/time.tsx";
import { count, toDuration } from "../ui/words.ts";
import type { PastRun } from "./memory.ts";
import type { SqlSchema } from "./text/complete-sql.ts";
import { quoteName } from "./text/sql-tokens.ts";
import { Button, PlainButton } from "../ui/form/button.tsx";

export type SavedQuery = Schemas["ListedSavedQuery"];

interface QuerySideProps {
  readonly queries: readonly SavedQuery[];
  readonly chosen: string | undefined;
  readonly schema: SqlSchema | undefined;
  readonly history: readonly PastRun[];
  readonly onInsert: (text: string) => void;
  readonly onPast: (sql: string) => void;
}

type Part = "saved" | "tables" | "history";

/** Saved queries, available names, and past runs. */
export function QuerySide(props: QuerySideProps) {
  const [part, setPart] = useState<Part>(props.queries.length > 0 ? "saved" : "tables");
  return (
    <aside className="sql-side" aria-label="Queries and tables">
      <Tabs
        label="Queries and tables"
        chosen={part}
        onChoose={setPart}
        tabs={[
          { id: "saved", label: "Saved" },
          { id: "tables", label: "Tables" },
          { id: "history", label: "History" },
        ]}
      >
        <div className="sql-side-list scroll">
          {part === "saved" && <SavedList queries={props.queries} chosen={props.chosen} />}
          {part === "tables" && <SchemaList schema={props.schema} onInsert={props.onInsert} />}
          {part === "history" && <HistoryList history={props.history} onPast={props.onPast} />}
        </div>
      </Tabs>
    </aside>
  );
}

function SavedList({ queries, chosen }: Pick<QuerySideProps, "queries" | "chosen">) {
  if (queries.length === 0) {
    return (
      <p className="muted sql-hint">
        No saved queries yet. Saved queries are shared with everyone.
      </p>
    );
  }
  return (
    <ul>
      {queries.map(({ id, name, description }) => (
        <li key={id}>
          <Link
            to="/sql"
            search={{ query: id }}
            className="sql-entry"
            aria-current={id === chosen ? "page" : undefined}
            title={description || undefined}
          >
            <span className="cut">{name}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

function SchemaList({ schema, onInsert }: Pick<QuerySideProps, "schema" | "onInsert">) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  if (!schema) return <p className="muted sql-hint">Loading…</p>;
  if (schema.relations.length === 0) {
    return <p className="muted sql-hint">No tables that you can read.</p>;
  }
  const toggle = (name: string): void => setOpen((old) => old.symmetricDifference(new Set([name])));
  return (
    <ul>
      {schema.relations.map(({ name, title, columns }) => (
        <li key={name}>
          <div className="sql-relation">
            <Button
              look="bare"
              isIcon
              type="button"
              aria-expanded={open.has(name)}
              aria-label={`Columns of ${name}`}
              onClick={() => toggle(name)}
            >
              <ChevronRight />
            </Button>
            <PlainButton
              type="button"
              className="sql-entry grow"
              title={title}
              onClick={() => onInsert(quoteName(name))}
            >
              <Table2 className="ico" /> <span className="cut">{name}</span>
            </PlainButton>
          </div>
          {open.has(name) && (
            <ul className="sql-columns">
              {columns.map((column) => (
                <li key={column.name}>
                  <PlainButton
                    type="button"
                    className="sql-entry"
                    onClick={() => onInsert(quoteName(column.name))}
                  >
                    <span className="cut grow">
                      {column.name} <small className="muted">{column.title}</small>
                    </span>
                    <small className="muted">{column.type}</small>
                  </PlainButton>
                </li>
              ))}
            </ul>
          )}
        </li>
      ))}
    </ul>
  );
}

function HistoryList({ history, onPast }: Pick<QuerySideProps, "history" | "onPast">) {
  if (history.length === 0) {
    return (
      <p className="muted sql-hint">
        Your recent queries appear here. They are stored only in this browser.
      </p>
    );
  }
  return (
    <ul>
      {history.map(({ sql, at, rows, durationMs }) => (
        <li key={at}>
          <PlainButton type="button" className="sql-entry sql-past" onClick={() => onPast(sql)}>
            <code className="cut">{sql.replaceAll(/\s+/g, " ").slice(0, 120)}</code>
            <small className="muted">
              <History className="ico" /> <Ago at={at} /> ·{" "}
              {rows === undefined ? "failed" : `${count(rows, "row")}, ${toDuration(durationMs)}`}
            </small>
          </PlainButton>
        </li>
      ))}
    </ul>
  );
}
