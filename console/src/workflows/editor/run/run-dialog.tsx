import { useState } from "react";
import { useForm } from "../../../data/form/use-form.ts";
import { place } from "../../../data/place.ts";
import { useStableHandlers } from "../../../ui/behaviour/stable.ts";
import { FormDialog } from "../../../ui/form/form-dialog.tsx";
import { toWords } from "../../../ui/words.ts";
import type { Definition } from "../../graph/graph.ts";
import { AttachFile } from "./attach-file.tsx";
import { InputFields } from "./input-fields.tsx";
import { PastEvents } from "./past-events.tsx";
import { describeInput, type RunInput, type RunMode } from "./run-input.ts";

interface RunDialogProps {
  readonly workflowId: string;
  readonly definition: Definition;
  readonly mode: RunMode;
  readonly version: number | undefined;
  readonly isDirty: boolean;
  readonly onStart: (given: GivenInput) => Promise<void>;
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

interface RunDraft {
  /** The input as JSON. */
  readonly text: string;
  /** A past event that is the input. */
  readonly eventId: string | undefined;
}

/** Asks for the run or test input. Prefilled with the last input, so Enter repeats the run. */
export function RunDialog(props: RunDialogProps) {
  const { workflowId, definition, mode, onStart, onClose } = props;
  const { key, found: asked, text: first } = useRemembered(workflowId, definition);
  const isTest = mode === "test";
  const [sentText, setSentText] = useState<string>();
  const form = useForm<"workflows.test" | "workflows.trigger", RunDraft, void>(
    isTest ? "workflows.test" : "workflows.trigger",
    {
      params: { id: workflowId },
      initial: { text: first, eventId: undefined },
      check: ({ text, eventId }) => ({
        text: eventId === undefined && isWrong(text) ? "The input is not valid JSON." : undefined,
      }),
      send: ({ text, eventId }) => {
        setSentText(text);
        if (asked) localStorage.setItem(key, text);
        const value = parseJson(text);
        const written = asked && value !== undefined ? { [asked.sentAs]: value } : {};
        return onStart(eventId === undefined ? written : { eventId });
      },
      onDone: onClose,
    },
  );
  const { text, eventId } = form.values;
  const change = (next: string): void => form.change({ text: next });
  const on = useStableHandlers({ attach: (edit: (old: string) => string) => change(edit(text)) });
  const isWritten = asked !== undefined && eventId === undefined;
  return (
    <FormDialog
      form={form}
      title={isTest ? "Dry run" : `Run in ${toWords(place.environment)}`}
      act={isTest ? "Start dry run" : "Run"}
      onClose={onClose}
      others={
        isWritten && asked.sentAs === "input" && <AttachFile text={text} onChange={on.attach} />
      }
    >
      <p className="muted">{explain(props)}</p>
      <PastEvents
        trigger={definition.trigger}
        chosen={eventId}
        onChoose={(id) => form.change({ eventId: id })}
      />
      {isWritten && (
        <InputFields
          asked={asked}
          text={text}
          // Errors belong to the text that was sent.
          errors={text === sentText ? form.errorsOf(asked.sentAs) : []}
          onChange={change}
        />
      )}
    </FormDialog>
  );
}

const isWrong = (text: string): boolean => text.trim() !== "" && parseJson(text) === undefined;

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
