/** The result of a step: input, output, log, attempts and pinned output. */
import { FlaskConical, Pencil, Pin, PinOff } from "lucide-react";
import { useState } from "react";
import { CodeEditor } from "../../../code/index.ts";
import { JsonTree } from "../../../ui/json/json-tree.tsx";
import { Keys } from "../../../ui/key.tsx";
import { count, toDuration } from "../../../ui/words.ts";
import type { RunStep } from "../../graph/run-view.ts";
import type { Trial } from "./trial.ts";
import { Button } from "../../../ui/form/button.tsx";
import { CheckBox, TextInput } from "../../../ui/form/controls.tsx";

interface StepOutputProps {
  readonly stepId: string;
  readonly result: RunStep | undefined;
  readonly trial: Trial;
  readonly pinned: { readonly output: unknown } | undefined;
  readonly mayEdit: boolean;
  readonly testDisabled: string | undefined;
  readonly onTest: () => void;
  readonly onPin: (output: unknown) => Promise<boolean>;
  /** The error that the step fails with in tests. */
  readonly mockError: string | undefined;
  readonly onMockError: (message: string | undefined) => void;
}

export function StepOutput(props: StepOutputProps) {
  const { stepId, result, trial, pinned, mayEdit } = props;
  const [isEditing, setEditing] = useState(false);
  const isNotExecuted = trial.isNotExecuted === true && !pinned;
  const output = pinned ? pinned.output : isNotExecuted ? undefined : result?.output;
  return (
    <>
      <div className="inspector-acts">
        <Button
          type="button"
          disabled={trial.isBusy || props.testDisabled !== undefined}
          title={props.testDisabled}
          aria-keyshortcuts="t"
          onClick={props.onTest}
        >
          <FlaskConical />
          {trial.isBusy ? "Testing…" : "Test step"} <Keys keys="t" />
        </Button>
        <Button
          type="button"
          aria-pressed={pinned !== undefined}
          aria-keyshortcuts="p"
          disabled={!mayEdit || (!pinned && (isNotExecuted || result?.output === undefined))}
          onClick={() => void props.onPin(pinned ? undefined : result?.output)}
        >
          {pinned ? <PinOff /> : <Pin />}
          {pinned ? "Unpin" : "Pin"} <Keys keys="p" />
        </Button>
        <Button
          look="bare"
          isIcon
          type="button"
          aria-label="Edit pinned data"
          title="Edit pinned data"
          disabled={!mayEdit}
          onClick={() => setEditing(!isEditing)}
        >
          <Pencil />
        </Button>
      </div>
      <MockError {...props} />
      {trial.error && !result?.error && <p className="problem">{trial.error}</p>}
      {isEditing ? (
        <PinEditor
          output={output}
          onCancel={() => setEditing(false)}
          onSave={async (next) => {
            // The typed text stays until it is pinned successfully.
            if (await props.onPin(next)) setEditing(false);
          }}
        />
      ) : (
        <>
          {pinned && (
            <p className="notice">
              Pinned data: dry runs and tests use this output. Other runs do not.
            </p>
          )}
          {result?.error && !pinned && <StepFailure step={result} />}
          {output === undefined
            ? !result?.error && <p className="muted">{isNotExecuted ? NOT_EXECUTED : NO_OUTPUT}</p>
            : !(result?.error && !pinned) && (
                <JsonTree value={output} path={`steps.${stepId}.output`} label="Output" />
              )}
        </>
      )}
      {result && !pinned && !isNotExecuted && (
        <StepFacts step={result} isTest={trial.step !== undefined} />
      )}
    </>
  );
}

const NO_OUTPUT = "No output yet. Test the step or run the workflow.";
const NOT_EXECUTED =
  "Not executed: tests and dry runs do not call other systems. Pin data to test the next steps.";

/** Sets a mock error, to test error handling without a real failure. */
function MockError({ mockError, mayEdit, onMockError }: StepOutputProps) {
  return (
    <div className="mock-error">
      <label>
        <CheckBox
          disabled={!mayEdit}
          checked={mockError !== undefined}
          onChange={({ target }) => onMockError(target.checked ? "Simulated error" : undefined)}
        />
        Simulate an error in tests
      </label>
      {mockError !== undefined && (
        <TextInput
          aria-label="Simulated error"
          value={mockError}
          onChange={({ target }) => onMockError(target.value)}
        />
      )}
    </div>
  );
}

function StepFacts({ step, isTest }: { readonly step: RunStep; readonly isTest: boolean }) {
  const facts = [
    isTest ? "Tested" : undefined,
    step.durationMs === null ? undefined : toDuration(step.durationMs),
    step.attempts > 1 ? count(step.attempts, "attempt") : undefined,
    step.branch === undefined ? undefined : `output ${step.branch}`,
    step.items === undefined ? undefined : count(step.items, "item"),
  ];
  return <p className="muted">{facts.filter(Boolean).join(", ")}</p>;
}

/** Shows the step error with the failed field and expression. */
export function StepFailure({ step }: { readonly step: RunStep }) {
  const { error } = step;
  if (!error) return null;
  return (
    <div className="step-failure" role="group" aria-label="Error">
      <strong>{error.message}</strong>
      <span className="muted mono">{error.code}</span>
      {error.field !== undefined && (
        <p>
          In <span className="mono">{error.field}</span>
          {error.expression !== undefined && <code>{error.expression}</code>}
        </p>
      )}
      {error.body !== undefined && (
        <JsonTree value={error.body} path="body" label="Body of the response" />
      )}
    </div>
  );
}

function PinEditor(props: {
  readonly output: unknown;
  readonly onSave: (output: unknown) => Promise<void>;
  readonly onCancel: () => void;
}) {
  const [text, setText] = useState(() => JSON.stringify(props.output ?? {}, undefined, 2));
  const [problem, setProblem] = useState<string>();
  const save = (): void => {
    try {
      void props.onSave(JSON.parse(text));
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <div className="pin-editor">
      <CodeEditor
        value={text}
        label="Pinned data (JSON)"
        language="json"
        isInvalid={problem !== undefined}
        description={problem}
        onChange={(next) => {
          setText(next);
          setProblem(undefined);
        }}
      />
      {problem !== undefined && <p className="form-error">{problem}</p>}
      <div className="inspector-acts">
        <Button look="main" type="button" onClick={save}>
          Pin data
        </Button>
        <Button type="button" onClick={props.onCancel}>
          Cancel
        </Button>
      </div>
    </div>
  );
}

export function StepInput({ result }: { readonly result: RunStep | undefined }) {
  if (result?.input === undefined) {
    return <p className="muted">No input yet. Test the step or run the workflow.</p>;
  }
  return <JsonTree value={result.input} path="input" label="Input" />;
}

export function StepLog({ result }: { readonly result: RunStep | undefined }) {
  if (!result || result.logs.length === 0) return <p className="muted">No log entries.</p>;
  return (
    <ol className="step-log">
      {result.logs.map(({ at, level, message, metadata }, n) => (
        <li key={n} className={`level-${level}`}>
          <time className="mono muted" dateTime={at}>
            {at.slice(11, 23)}
          </time>
          <span>{message}</span>
          {metadata !== undefined && metadata !== null && (
            <JsonTree value={metadata} path="metadata" label="Details" hasSearch={false} />
          )}
        </li>
      ))}
    </ol>
  );
}
