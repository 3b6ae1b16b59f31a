/** One import, from the uploaded file to imported records, which can be rolled back. */
import "../table-page.css";
import "./import.css";
import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useOp } from "../../data/api.ts";
import { perform } from "../../data/use-command.ts";
import { useTitle } from "../../shell/title.ts";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { Confirm } from "../../ui/overlay/confirm.tsx";
import { count, toWords } from "../../ui/words.ts";
import { FaultLines } from "./fault-lines.tsx";
import { ImportPlan } from "./import-plan.tsx";
import { type Import, isWorking } from "./import-map.ts";
import { Button } from "../../ui/form/button.tsx";

/** Polls in case the event stream is interrupted; normally events report progress. */
const LOOK_AGAIN_MS = 1_500;

export function ImportScreen() {
  const { importId } = useParams({ from: "/inside/imports/$importId" });
  const [isPolling, setPolling] = useState(true);
  const { data, error, refetch } = useOp(
    "imports.get",
    { params: { id: importId } },
    { refetchInterval: isPolling ? LOOK_AGAIN_MS : false },
  );
  const current = data?.data;
  useTitle(current && `Import ${current.name}`);
  if (current && isWorking(current) !== isPolling) setPolling(isWorking(current));
  return (
    <div className="page paper">
      <header className="page-head">
        <h1 className="cut">
          <Link to="/tables">Tables</Link>
          <span className="muted"> / Import of {current?.name ?? "…"}</span>
        </h1>
        <span className="grow" />
        {current && <span className="muted">{toWords(current.state)}</span>}
      </header>
      <div className="import-body scroll">
        {error && !current && <ErrorNotice error={error} retry={() => void refetch()} />}
        {!current && !error && <Loading />}
        {current && <ImportParts current={current} />}
      </div>
    </div>
  );
}

type Act = "imports.start" | "imports.cancel" | "imports.take_back";

function ImportParts({ current }: { readonly current: Import }) {
  const { id, state, counts, check, lines, reason } = current;
  const act = (name: Act): void => void perform(name, { params: { id } });
  const invalid = check?.invalid ?? counts.invalid;
  return (
    <>
      {reason !== null && <p className="sql-note">{reason}</p>}
      {isWorking(current) && <Progress current={current} onCancel={() => act("imports.cancel")} />}
      {state === "ready" && <ImportPlan key={`${id} ${lines ?? 0}`} current={current} />}
      {(state === "completed" || state === "cancelled" || state === "failed") && (
        <Outcome current={current} onAct={act} />
      )}
      {state === "taken_back" && (
        <p role="status">
          Import undone: {count(counts.takenBack, "record")} restored.
          {counts.refused > 0 &&
            ` ${count(counts.refused, "record")} changed since the import and were kept.`}
        </p>
      )}
      {invalid > 0 && !isWorking(current) && state !== "taken_back" && (
        <FaultLines current={current} invalid={invalid} />
      )}
    </>
  );
}

const WORDS: Readonly<Record<string, string>> = {
  analyzing: "Reading the file",
  checking: "Checking rows",
  running: "Importing records",
  taking_back: "Undoing the import",
};

function Progress({
  current,
  onCancel,
}: {
  readonly current: Import;
  readonly onCancel: () => void;
}) {
  const { state, lines, counts } = current;
  const done = state === "taking_back" ? counts.takenBack : counts.read;
  return (
    <div className="import-progress">
      <p role="status">
        {WORDS[state] ?? state}
        {done > 0 && `: ${done.toLocaleString("en")}`}
        {lines !== null && done > 0 && ` of ${count(lines, "row")}`}…
      </p>
      <progress
        aria-label="Import progress"
        max={lines ?? undefined}
        value={lines ? done : undefined}
      />
      {state === "running" && (
        <Button type="button" onClick={onCancel}>
          Cancel import
        </Button>
      )}
    </div>
  );
}

interface OutcomeProps {
  readonly current: Import;
  readonly onAct: (act: Act) => void;
}

/** The result of the import, with a rollback action. */
function Outcome({ current, onAct }: OutcomeProps) {
  const { counts, table, state, corrections } = current;
  const [isAsking, setAsking] = useState(false);
  return (
    <section className="import-outcome">
      <p role="status">
        <strong>{count(counts.created, "record")}</strong> created,{" "}
        {counts.updated.toLocaleString("en")} updated, {counts.unchanged.toLocaleString("en")}{" "}
        unchanged, {count(counts.invalid, "row")} skipped.
      </p>
      <div className="filter-acts">
        {table !== null && (
          <Link to="/tables/$slug" params={{ slug: table }} className="btn main">
            Open table
          </Link>
        )}
        {(corrections > 0 || state !== "completed") && (
          <Button type="button" onClick={() => onAct("imports.start")}>
            {state === "completed" ? "Import corrected rows" : "Continue import"}
          </Button>
        )}
        <Button type="button" onClick={() => setAsking(true)}>
          Undo import…
        </Button>
      </div>
      {isAsking && (
        <Confirm
          title="Undo this import?"
          act="Undo import"
          onAct={() => {
            setAsking(false);
            onAct("imports.take_back");
          }}
          onClose={() => setAsking(false)}
        >
          Deletes the records that the import created, restores the values that it changed, and
          deletes the table if the import created it. Records that were changed since are kept.
        </Confirm>
      )}
    </section>
  );
}
