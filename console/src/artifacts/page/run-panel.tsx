import { Play } from "lucide-react";
import { useRef } from "react";
import { CodeEditor } from "../../code/index.ts";
import { type Schemas, useOp } from "../../data/api.ts";
import { place } from "../../data/place.ts";
import { type Outcome as OutcomeOf, useOutcome } from "../../data/form/use-outcome.ts";
import { useActions } from "../../shell/actions.ts";
import { CopyLine } from "../../ui/copy-line.tsx";
import { ErrorNotice } from "../../ui/feedback.tsx";
import { Json } from "../../ui/json/json.tsx";
import { toDuration } from "../../ui/words.ts";
import { type Artifact, parseObject } from "../artifact-type.ts";
import { Logs } from "./logs.tsx";
import { LastRequests } from "./requests.tsx";
import { CommandButton } from "../../ui/form/command-button.tsx";

type Outcome = Schemas["ArtifactOutcome"];
type RunOutcome = OutcomeOf<"artifacts.execute">;

interface RunPanelProps {
  readonly artifact: Artifact;
  readonly input: string;
  readonly onInput: (input: string) => void;
  /** Saves unsaved changes; resolves to false if that failed. */
  readonly beforeRun: () => Promise<boolean>;
}

/** Runs the artifact with an input, and shows the result and logs. */
export function RunPanel({ artifact, input, onInput, beforeRun }: RunPanelProps) {
  const { id, url } = artifact;
  const value = parseObject(input);
  // A shortcut right after a keystroke runs before the render, so the newest text is read from the ref.
  const newest = useRef(input);
  const execute = useOutcome("artifacts.execute");
  const { outcome: ran } = execute;
  const refusal =
    execute.refusal ?? (value === undefined ? "The input must be a JSON object." : undefined);
  const run = async (): Promise<void> => {
    const inputPayload = parseObject(newest.current);
    if (!inputPayload || !(await beforeRun())) return;
    await execute.run({ params: { id }, body: { inputPayload, triggerType: "manual" } });
  };
  useActions([
    {
      keys: "mod+Enter",
      label: "Run artifact",
      run: () => void run(),
      disabled: refusal,
      always: true,
    },
  ]);
  return (
    <div className="art-panel scroll">
      {url !== undefined && (
        <>
          <CopyLine label="Webhook URL (keep it secret)" text={url} />
          <CopyLine
            label="Example request"
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
      <CommandButton
        command={{ isBusy: execute.isBusy, refusal }}
        isMain
        keys="mod+Enter"
        className="art-run"
        onPress={() => void run()}
      >
        <Play /> {execute.isBusy ? "Running…" : "Run"}
      </CommandButton>
      {ran && (
        <section className="art-outcome" aria-label="Result" aria-live="polite">
          <h2>
            {verdictOf(ran)} <span className="muted">{toDuration(ran.tookMs)}</span>
          </h2>
          {ran.error && <ErrorNotice error={ran.error} />}
          {ran.reply && <OutcomeView outcome={ran.reply.data} />}
          <LastLogs artifactId={id} />
        </section>
      )}
    </div>
  );
}

function verdictOf({ reply, error }: RunOutcome): string {
  if (error || reply?.data.runtimeError) return "Failed";
  return reply?.data.aborted ? "Stopped" : "Succeeded";
}

/** The result or error of a run. */
export function OutcomeView({ outcome }: { readonly outcome: Outcome }) {
  const { runtimeError, aborted, abortReason, output } = outcome;
  if (runtimeError) {
    const { name, message, line, column } = runtimeError;
    const at = line === null ? "" : ` Line ${line}${column === null ? "" : `, column ${column}`}.`;
    return <ErrorNotice error={{ message: `${name}: ${message}${at}` }} />;
  }
  if (aborted) return <p>{abortReason ?? "No reason given."}</p>;
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
