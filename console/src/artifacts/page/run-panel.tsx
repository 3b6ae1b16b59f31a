import { Play } from "lucide-react";
import { useRef, useState } from "react";
import { CodeEditor } from "../../code/index.ts";
import { call, type Schemas, useOp } from "../../data/api.ts";
import { useRefusals } from "../../data/people.ts";
import { place } from "../../data/place.ts";
import { useActions } from "../../shell/actions.ts";
import { CopyLine } from "../../ui/copy-line.tsx";
import { ErrorNotice } from "../../ui/feedback.tsx";
import { Json } from "../../ui/json/json.tsx";
import { Keys } from "../../ui/key.tsx";
import { toDuration } from "../../ui/words.ts";
import { type Artifact, parseObject } from "../artifact-type.ts";
import { Logs } from "./logs.tsx";
import { LastRequests } from "./requests.tsx";
import { Button } from "../../ui/form/button.tsx";

type Outcome = Schemas["ArtifactOutcome"];

interface RunPanelProps {
  readonly artifact: Artifact;
  readonly input: string;
  readonly onInput: (input: string) => void;
  /** Saves what is not saved; false where that was refused. */
  readonly beforeRun: () => Promise<boolean>;
}

interface Ran {
  readonly outcome?: Outcome;
  readonly error?: Error;
  readonly tookMs: number;
}

/** Runs the artifact with an input, and shows what came of it with its logs. */
export function RunPanel({ artifact, input, onInput, beforeRun }: RunPanelProps) {
  const { id, url } = artifact;
  const refusalOf = useRefusals();
  const [ran, setRan] = useState<Ran>();
  const [isBusy, setBusy] = useState(false);
  const value = parseObject(input);
  // A key right after the last letter comes before the screen is drawn with it.
  const newest = useRef(input);
  const denied = refusalOf("artifacts.execute");
  const reason = denied ?? (value === undefined ? "The input is no JSON object." : undefined);
  const run = async (): Promise<void> => {
    const inputPayload = parseObject(newest.current);
    if (!inputPayload) return;
    setBusy(true);
    try {
      if (await beforeRun()) {
        const begun = performance.now();
        try {
          const { data } = await call("artifacts.execute", {
            params: { id },
            body: { inputPayload, triggerType: "manual" },
          });
          setRan({ outcome: data, tookMs: performance.now() - begun });
        } catch (failure) {
          const error = failure instanceof Error ? failure : new Error(String(failure));
          setRan({ error, tookMs: performance.now() - begun });
        }
      }
    } finally {
      setBusy(false);
    }
  };
  useActions([
    { keys: "mod+Enter", label: "Run", run: () => void run(), disabled: reason, always: true },
  ]);
  return (
    <div className="art-panel scroll">
      {url !== undefined && (
        <>
          <CopyLine label="Address, to be kept secret" text={url} />
          <CopyLine
            label="Try it"
            text={`curl -X POST -H "content-type: application/json" -d '{"hello":"there"}' "${url}${place.environment === "production" ? "" : `?environment=${place.environment}`}"`}
          />
          <LastRequests artifactId={id} />
        </>
      )}
      <div className="field-box">
        <span className="field-label">Input</span>
        <CodeEditor
          label="Input"
          language="json"
          isBlock
          value={input}
          isInvalid={value === undefined}
          onChange={(next) => {
            newest.current = next;
            onInput(next);
          }}
        />
      </div>
      <Button
        look="main"
        className="art-run"
        disabled={reason !== undefined || isBusy}
        title={reason}
        onClick={() => void run()}
      >
        <Play /> {isBusy ? "Running…" : "Run"} <Keys keys="mod+Enter" />
      </Button>
      {ran && (
        <section className="art-outcome" aria-label="Result" aria-live="polite">
          <h2>
            {verdictOf(ran)} <span className="muted">{toDuration(ran.tookMs)}</span>
          </h2>
          {ran.error && <ErrorNotice error={ran.error} />}
          {ran.outcome && <OutcomeView outcome={ran.outcome} />}
          <LastLogs artifactId={id} />
        </section>
      )}
    </div>
  );
}

function verdictOf({ outcome, error }: Ran): string {
  if (error || outcome?.runtimeError) return "It failed";
  return outcome?.aborted ? "It stopped itself" : "It ran";
}

/** The result of a run, or why there is none. */
export function OutcomeView({ outcome }: { readonly outcome: Outcome }) {
  const { runtimeError, aborted, abortReason, output } = outcome;
  if (runtimeError) {
    const { name, message, line, column } = runtimeError;
    const at = line === null ? "" : ` Line ${line}${column === null ? "" : `, column ${column}`}.`;
    return <ErrorNotice error={{ message: `${name}: ${message}${at}` }} />;
  }
  if (aborted) return <p>{abortReason ?? "It gave no reason."}</p>;
  return <Json value={output} label="Output" />;
}

function LastLogs({ artifactId: id }: { readonly artifactId: string }) {
  const last = useOp("artifacts.list_executions", { params: { id }, query: { limit: 1 } }).data
    ?.data[0];
  const execution = useOp(
    "artifacts.get_execution",
    { params: { id, executionId: last?.id ?? "" } },
    { enabled: last !== undefined },
  ).data?.data;
  return execution ? <Logs logs={execution.logs} /> : null;
}
