import { Link } from "@tanstack/react-router";
import { PanelLeft, Play, Square } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import { CodeEditor, type CodeHandle } from "../code/index.ts";
import { useRefusals } from "../data/people.ts";
import { place } from "../data/place.ts";
import { useActions } from "../shell/actions.ts";
import { Keys } from "../ui/key.tsx";
import { keepDraft } from "./memory.ts";
import { ParameterFields } from "./parameter-fields.tsx";
import { QueryMenu } from "./query-menu.tsx";
import { QuerySide, type SavedQuery } from "./query-side.tsx";
import { ResultPane, type ResultTab } from "./result/result-pane.tsx";
import { completeSql, type SqlSchema } from "./text/complete-sql.ts";
import { toMarks } from "./text/fault-mark.ts";
import { type Parameter, textOfDefault, toParameters, toValue } from "./text/parameter.ts";
import { findParameters } from "./text/sql-tokens.ts";
import { type SqlRun, useSqlRun } from "./use-sql-run.ts";
import { Button } from "../ui/form/button.tsx";
import { Select } from "../ui/form/controls.tsx";

const LIMITS = [100, 1_000, 10_000];

interface QueryScreenProps {
  readonly queries: readonly SavedQuery[];
  readonly saved: SavedQuery | undefined;
  readonly schema: SqlSchema | undefined;
  /** The initial statement of the editor. */
  readonly first: string;
  readonly onOpen: (id: string | undefined) => void;
}

export function QueryScreen({ queries, saved, schema, first, onOpen }: QueryScreenProps) {
  const refusalOf = useRefusals();
  const [sql, setSql] = useState(first);
  const [isSideOpen, setSideOpen] = useState(false);
  const [limit, setLimit] = useState(1_000);
  const [tab, setTab] = useState<ResultTab>("rows");
  const handle = useRef<CodeHandle>(null);
  const sqlRun = useSqlRun();
  const { parameters, fields, params } = useParameters(sql, saved?.parameters ?? NONE);
  const completion = useMemo(() => completeSql(schema), [schema]);
  const marks = useMemo(
    () => (sqlRun.failedSql === sql ? toMarks(sqlRun.error, sql) : []),
    [sqlRun.failedSql, sqlRun.error, sql],
  );
  // A shortcut may run before the text is rendered, so the newest text is read from the ref.
  const newest = useRef(first);
  const write = (text: string): void => {
    newest.current = text;
    setSql(text);
    if (!saved) keepDraft(text);
  };
  const statementOf = () => ({ sql: newest.current, params, limit });
  const refusal = refusalOf("queries.run");
  const run = (): void => {
    if (tab === "plan") setTab("rows");
    void sqlRun.run(statementOf());
  };
  const explain = (): void => {
    setTab("plan");
    void sqlRun.explain(statementOf());
  };
  useActions([
    { keys: "mod+Enter", label: "Run query", always: true, run, disabled: refusal },
    {
      keys: "mod+shift+Enter",
      label: "Explain query",
      always: true,
      run: explain,
      disabled: refusal,
    },
    ...(sqlRun.isRunning
      ? [{ keys: "Escape", label: "Cancel query", always: true, run: sqlRun.cancel }]
      : []),
  ]);
  return (
    <div className="page paper sql-page">
      <header className="page-head">
        <QueryTitle saved={saved} isSideOpen={isSideOpen} setSideOpen={setSideOpen} />
        <QueryMenu
          saved={saved}
          draft={{ sql, parameters }}
          isChanged={saved !== undefined && isChanged(saved, sql, parameters)}
          onOpen={onOpen}
        />
      </header>
      <div className={isSideOpen ? "sql-body has-side" : "sql-body"}>
        <QuerySide
          queries={queries}
          chosen={saved?.id}
          schema={schema}
          history={sqlRun.history}
          onInsert={(text) =>
            handle.current?.insert((before) => (/\w$/.test(before) ? ` ${text}` : text))
          }
          onPast={write}
        />
        <div className="sql-main">
          <div className="sql-editor">
            <CodeEditor
              value={sql}
              onChange={write}
              label="SQL statement"
              language="sql"
              isBlock
              tab="indents"
              marks={marks}
              isInvalid={marks.length > 0}
              completion={completion}
              handle={handle}
            />
          </div>
          <ParameterFields {...fields} />
          <SqlBar {...{ limit, setLimit, refusal, run, explain }} sqlRun={sqlRun} />
          <ResultPane
            tab={tab}
            onTab={setTab}
            sqlRun={sqlRun}
            limit={limit}
            name={saved?.name ?? "query"}
          />
        </div>
      </div>
    </div>
  );
}

interface QueryTitleProps {
  readonly saved: SavedQuery | undefined;
  readonly isSideOpen: boolean;
  readonly setSideOpen: (isOpen: boolean) => void;
}

function QueryTitle({ saved, isSideOpen, setSideOpen }: QueryTitleProps) {
  return (
    <>
      <Button
        look="bare"
        isIcon
        className="sql-side-button"
        type="button"
        aria-label="Queries and tables"
        aria-expanded={isSideOpen}
        onClick={() => setSideOpen(!isSideOpen)}
      >
        <PanelLeft />
      </Button>
      <h1 className="cut">
        {saved && (
          <>
            <Link to="/sql" search={{}} className="muted wide-only">
              SQL
            </Link>
            <span className="muted wide-only"> / </span>
          </>
        )}
        {saved?.name ?? "SQL"}
      </h1>
      <span className="grow" />
    </>
  );
}

interface SqlBarProps {
  readonly limit: number;
  readonly setLimit: (limit: number) => void;
  readonly refusal: string | undefined;
  readonly run: () => void;
  readonly explain: () => void;
  readonly sqlRun: SqlRun;
}

function SqlBar({ limit, setLimit, refusal, run, explain, sqlRun }: SqlBarProps) {
  return (
    <div className="sql-bar">
      {sqlRun.isRunning ? (
        <Button look="main" type="button" onClick={sqlRun.cancel}>
          <Square /> Cancel
        </Button>
      ) : (
        <Button look="main" refusal={refusal} type="button" onClick={run}>
          <Play /> Run <Keys keys="mod+Enter" />
        </Button>
      )}
      <Button
        type="button"
        disabled={refusal !== undefined || sqlRun.isRunning}
        title={refusal ?? "Show the query plan (Ctrl Shift Enter)"}
        onClick={explain}
      >
        Explain
      </Button>
      <label className="sql-inline">
        <span className="muted">Rows</span>
        <Select value={limit} onChange={({ target }) => setLimit(Number(target.value))}>
          {LIMITS.map((n) => (
            <option key={n} value={n}>
              up to {n.toLocaleString("en")}
            </option>
          ))}
        </Select>
      </label>
      <span className="grow" />
      <span className="muted sql-rights">
        Read-only, in {place.environment}. Returns only the rows and fields that you have access to.
      </span>
    </div>
  );
}

const NONE: readonly Parameter[] = [];

function isChanged(saved: SavedQuery, sql: string, parameters: readonly Parameter[]): boolean {
  return sql !== saved.sql || JSON.stringify(parameters) !== JSON.stringify(saved.parameters);
}

/** Returns the fields of `$1`, `$2` …, one for each parameter in the statement. */
function useParameters(sql: string, saved: readonly Parameter[]) {
  const [known, setKnown] = useState(saved);
  const [texts, setTexts] = useState<readonly string[]>(() => saved.map(textOfDefault));
  const numbers = useMemo(() => findParameters(sql), [sql]);
  const parameters = useMemo(() => toParameters(numbers, known), [numbers, known]);
  const put = <T,>(list: readonly T[], at: number, value: T, other: (n: number) => T) =>
    Array.from({ length: Math.max(list.length, at + 1) }, (_, n) =>
      n === at ? value : (list[n] ?? other(n)),
    );
  const fields = {
    parameters,
    texts,
    onText: (at: number, text: string) => setTexts(put(texts, at, text, () => "")),
    onChange: (at: number, parameter: Parameter) =>
      setKnown(put(known, at, parameter, (n) => ({ name: `p${n + 1}` }))),
  };
  const params = parameters.map((parameter, at) => toValue(texts[at] ?? "", parameter));
  return { parameters, fields, params };
}
