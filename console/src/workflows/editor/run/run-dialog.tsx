import { FlaskConical, Play } from "lucide-react";
import { type SubmitEvent, useEffect, useState } from "react";
import type { FieldError } from "../../../form/index.ts";
import { useModal } from "../../../ui/overlay/modal.ts";
import { place } from "../../../data/place.ts";
import { Keys } from "../../../ui/key.tsx";
import { toWords } from "../../../ui/words.ts";
import type { Definition } from "../../graph/graph.ts";
import { AttachFile } from "./attach-file.tsx";
import { InputFields } from "./input-fields.tsx";
import { PastEvents } from "./past-events.tsx";
import { describeInput, type RunInput, type RunMode } from "./run-input.ts";
import { Button } from "../../../ui/form/button.tsx";

interface RunDialogProps {
  readonly workflowId: string;
  readonly definition: Definition;
  readonly mode: RunMode;
  readonly version: number | undefined;
  readonly isDirty: boolean;
  /** Returns the errors about the input; undefined if the run started. */
  readonly onStart: (given: GivenInput) => Promise<readonly FieldError[] | undefined>;
  readonly onClose: () => void;
}

/** The run input, keyed by the request field. */
export type GivenInput = Partial<Record<RunInput["sentAs"], unknown>> & {
  readonly eventId?: string;
};

/** The last input for a run or test of this workflow in this browser. */
function useRemembered(workflowId: string, definition: Definition) {
  const [asked] = useState(() => {
    const { sentAs } = describeInput(definition, undefined) ?? {};
    const key = `millrace.${sentAs ?? "input"}.${workflowId}`;
    const kept = localStorage.getItem(key);
    const found = describeInput(definition, kept === null ? undefined : parseJson(kept));
    return { key, found, text: kept ?? JSON.stringify(found?.first ?? {}, null, 2) };
  });
  return asked;
}

/** Asks for the input of a run or test. It is prefilled with the last input, so Enter repeats the last run. */
export function RunDialog(props: RunDialogProps) {
  const { workflowId, definition, mode, onStart, onClose } = props;
  const dialog = useModal();
  const { key, found: asked, text: first } = useRemembered(workflowId, definition);
  const [text, setText] = useState(first);
  const [eventId, setEventId] = useState<string>();
  const [errors, setErrors] = useState<readonly FieldError[]>([]);
  const [isBusy, setBusy] = useState(false);
  const value = text.trim() === "" ? undefined : parseJson(text);
  const isWrong = text.trim() !== "" && value === undefined;
  useEffect(() => dialog.current?.querySelector<HTMLElement>(".form input")?.focus(), [dialog]);
  const start = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (isBusy || (isWrong && eventId === undefined)) return;
    if (asked) localStorage.setItem(key, text);
    setBusy(true);
    const written = asked && value !== undefined ? { [asked.sentAs]: value } : {};
    const refused = await onStart(eventId === undefined ? written : { eventId });
    if (!refused) return onClose();
    setErrors(refused);
    setBusy(false);
    return undefined;
  };
  const isTest = mode === "test";
  const environment = toWords(place.environment);
  const title = isTest ? "Dry run" : `Run in ${environment}`;
  return (
    <dialog
      ref={dialog}
      className="run-dialog"
      aria-label={title}
      onClose={onClose}
      onKeyDown={(event) => {
        if (event.key !== "Enter" || !(event.metaKey || event.ctrlKey)) return;
        // Submits the form instead of starting directly, so that incomplete fields prevent the run.
        dialog.current?.querySelector("form")?.requestSubmit();
      }}
    >
      <form onSubmit={(event) => void start(event)}>
        <h1>{title}</h1>
        <p className="muted">{explain(props)}</p>
        <PastEvents trigger={definition.trigger} chosen={eventId} onChoose={setEventId} />
        {asked && eventId === undefined && (
          <InputFields
            asked={asked}
            text={text}
            errors={errors}
            onChange={(next) => {
              setText(next);
              setErrors([]);
            }}
          />
        )}
        <footer>
          {asked?.sentAs === "input" && eventId === undefined && (
            <AttachFile text={text} onChange={setText} />
          )}
          <span className="grow" />
          <Button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </Button>
          <Button look="main" disabled={isBusy || (isWrong && eventId === undefined)} data-focus>
            {isTest ? <FlaskConical /> : <Play />}
            {isTest ? "Start dry run" : "Run"} <Keys keys="mod+Enter" />
          </Button>
        </footer>
      </form>
    </dialog>
  );
}

function explain({ mode, version, isDirty }: RunDialogProps): string {
  if (mode === "test") {
    return "Runs the draft without calling other systems. Steps that call other systems use their pinned data, or have no output.";
  }
  const rest = isDirty ? " Your unsaved changes are not included." : "";
  return `Runs version ${version ?? "?"} and calls real systems.${rest}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
