import { FlaskConical, Play } from "lucide-react";
import { type SubmitEvent, useState } from "react";
import { useModal } from "../../../ui/modal.ts";
import { place } from "../../../data/place.ts";
import { Keys } from "../../../ui/key.tsx";
import { toWords } from "../../../ui/words.ts";
import { JsonField } from "../panels/json-field.tsx";

export type RunMode = "test" | "run";

interface RunDialogProps {
  readonly workflowId: string;
  readonly mode: RunMode;
  /** The version that runs in this environment. */
  readonly version: number | undefined;
  readonly isDirty: boolean;
  readonly onStart: (input: unknown) => Promise<boolean>;
  readonly onClose: () => void;
}

const nameInput = (workflowId: string): string => `millrace.input.${workflowId}`;

/** The input that this workflow was last run or tested with, in this browser. */
export function rememberedInput(workflowId: string): string {
  return localStorage.getItem(nameInput(workflowId)) ?? "{}";
}

/** Asks for the input of a test or a run: the last one stands there, so Enter repeats it. */
export function RunDialog(props: RunDialogProps) {
  const { workflowId, mode, version, isDirty, onStart, onClose } = props;
  const dialog = useModal();
  const [text, setText] = useState(() => rememberedInput(workflowId));
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const start = async (event?: SubmitEvent): Promise<void> => {
    event?.preventDefault();
    let input: unknown;
    try {
      input = text.trim() === "" ? undefined : JSON.parse(text);
    } catch (problem) {
      return setError((problem as Error).message);
    }
    localStorage.setItem(nameInput(workflowId), text);
    setBusy(true);
    if (await onStart(input)) onClose();
    else setBusy(false);
    return undefined;
  };
  const isTest = mode === "test";
  const environment = toWords(place.environment);
  const title = isTest ? "Test the draft" : `Run in ${environment}`;
  return (
    <dialog
      ref={dialog}
      className="run-dialog"
      aria-label={title}
      onClose={onClose}
      onKeyDown={(event) => {
        if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) void start();
      }}
    >
      <form onSubmit={(event) => void start(event)}>
        <h1>{title}</h1>
        <p className="muted">{explain(isTest, version, isDirty)}</p>
        <JsonField
          label="Input, as JSON"
          value={text}
          error={error}
          onChange={(next) => {
            setText(next);
            setError(undefined);
          }}
        />
        <footer>
          <span className="grow" />
          <button type="button" className="btn" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button className="btn main" disabled={isBusy} data-focus>
            {isTest ? <FlaskConical /> : <Play />}
            {isTest ? "Test" : "Run"} <Keys keys="mod+Enter" />
          </button>
        </footer>
      </form>
    </dialog>
  );
}

function explain(isTest: boolean, version: number | undefined, isDirty: boolean): string {
  if (isTest) {
    return "Goes through the draft as it is on the canvas. Nothing outside is touched: steps that reach outside take their pinned output, or none.";
  }
  const rest = isDirty ? " Your draft has changes that are not in it." : "";
  return `Version ${version ?? "?"} runs, with everything it does.${rest}`;
}
