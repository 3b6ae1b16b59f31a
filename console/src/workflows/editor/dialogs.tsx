import { Suspense, useState } from "react";
import { ApiError, call, type Schemas } from "../../data/api.ts";
import { describeRefusal } from "../../data/change.ts";
import { place } from "../../data/place.ts";
import { afterRender, useStableHandlers } from "../../ui/behaviour/stable.ts";
import { lazyDialog } from "../../ui/overlay/lazy-part.tsx";
import { notify } from "../../ui/toast.tsx";
import { type Definition, findStep } from "../graph/graph.ts";
import { toDefinition } from "./draft/definition.ts";
import type { Draft } from "./draft/use-draft.ts";
import { Picker } from "./pick/picker.tsx";
import { type GivenInput, RunDialog } from "./run/run-dialog.tsx";
import type { RunMode } from "./run/run-input.ts";
import type { Edits } from "./use-edits.ts";
import { showUnfinished } from "./use-problems.ts";
import type { EditorPlace } from "./use-selection.ts";

const MergeDialog = lazyDialog(async () => (await import("./draft/merge-dialog.tsx")).MergeDialog);
const DeployDialog = lazyDialog(
  async () => (await import("../versions/deploy-dialog.tsx")).DeployDialog,
);
const BackfillDialog = lazyDialog(
  async () => (await import("../versions/backfill-dialog.tsx")).BackfillDialog,
);

type OpenDialog = RunMode | "merge";

interface DialogsInput {
  readonly id: string;
  readonly draft: Draft;
  readonly definition: Definition;
  readonly go: (next: EditorPlace) => void;
}

/** The dialogs of the editor: run input, save with a summary, and deploy. */
export function useDialogs({ id, draft, definition, go }: DialogsInput) {
  const [open, setOpen] = useState<OpenDialog>();
  const [mockErrors, setMockErrors] = useState<ReadonlyMap<string, string>>(new Map());
  const save = async (): Promise<boolean> => {
    if (!isFinished()) return false;
    const outcome = await draft.save();
    if (outcome === "saved") notify("Saved");
    if (outcome === "refused") go({ panel: "problems" });
    if (outcome === "conflict") setOpen("merge");
    return outcome === "saved";
  };
  const start = async (mode: RunMode, given: GivenInput): Promise<void> => {
    const run = await inputErrors(
      mode === "test" ? test(id, definition, { given, mockErrors }) : trigger(id, given),
    );
    go({ run });
  };
  const drawn = useStableHandlers({ save: () => void save() });
  const on = useStableHandlers({
    // Waits for the render of the last keystroke: only rendered fields are validated and saved.
    save: () => afterRender(drawn.save),
    test: () => setOpen("test"),
    run: () => setOpen("run"),
    merge: () => setOpen("merge"),
    mockError: (key: string, message: string | undefined) => {
      const rest = [...mockErrors].filter(([other]) => other !== key);
      setMockErrors(new Map(message === undefined ? rest : [...rest, [key, message]]));
    },
  });
  return { open, close: () => setOpen(undefined), save, start, on, mockErrors };
}

/** Returns whether all fields are valid. Focuses the first invalid field; saving requires valid fields. */
function isFinished(): boolean {
  const label = showUnfinished();
  if (label !== undefined) notify(`${label} is not valid JSON. Correct it or undo the change.`);
  return label === undefined;
}

/** Keeps errors of the input at their fields. Errors of the draft are in the problem list: only their summary is shown. */
function inputErrors<T>(reply: Promise<T>): Promise<T> {
  return reply.catch((error: unknown) => {
    const errors = error instanceof ApiError ? error.errors : [];
    const isInput = errors.some(({ path }) => /^\/(input|event|eventId)\b/.test(path));
    throw isInput ? error : new Error(describeRefusal(error), { cause: error });
  });
}

interface Trial {
  readonly given: GivenInput;
  readonly mockErrors: ReadonlyMap<string, string>;
}

async function test(
  id: string,
  definition: Definition,
  { given, mockErrors }: Trial,
): Promise<string> {
  const errors = [...mockErrors]
    .filter(([key]) => findStep(definition, key))
    .map(([key, message]) => [key.replaceAll("/", "."), { message }] as const);
  const body = {
    definition: toDefinition(definition),
    ...given,
    ...(errors.length > 0 && { mockErrors: Object.fromEntries(errors) }),
  };
  return (await call("workflows.test", { params: { id }, body })).data.id;
}

async function trigger(id: string, body: GivenInput): Promise<string> {
  return (await call("workflows.trigger", { params: { id }, body })).data.runId;
}

interface DialogsProps extends DialogsInput {
  readonly workflow: Schemas["Workflow"];
  readonly edits: Edits;
  readonly dialogs: ReturnType<typeof useDialogs>;
  readonly panel: string | undefined;
}

export function Dialogs({
  id,
  draft,
  definition,
  workflow,
  edits,
  dialogs,
  panel,
  go,
}: DialogsProps) {
  const { open, close, start, save } = dialogs;
  const closePanel = (): void => go({ panel: undefined });
  return (
    <Suspense>
      {edits.adding && (
        <Picker workflowId={id} {...edits.adding} onPick={edits.pick} onClose={edits.closePicker} />
      )}
      {(open === "test" || open === "run") && (
        <RunDialog
          workflowId={id}
          definition={definition}
          mode={open}
          version={workflow.environments[place.environment]?.version}
          isDirty={draft.isDirty}
          onStart={(given) => start(open, given)}
          onClose={close}
        />
      )}
      {open === "merge" && draft.theirs && draft.history && (
        <MergeDialog
          workflowId={id}
          base={draft.history.base}
          mine={definition}
          theirs={draft.theirs.definition}
          onMerge={async (choices) => {
            draft.merge(choices);
            close();
            await save();
          }}
          onClose={close}
        />
      )}
      {panel === "backfill" && <BackfillDialog workflow={workflow} onClose={closePanel} />}
      {panel === "deploy" && (
        <DeployDialog
          workflow={workflow}
          definition={definition}
          isDirty={draft.isDirty}
          onSave={async () => {
            const isSaved = draft.isDirty ? await save() : isFinished();
            if (!isSaved) closePanel();
            return isSaved;
          }}
          onClose={closePanel}
        />
      )}
    </Suspense>
  );
}
