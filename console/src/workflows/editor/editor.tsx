import "./editor.css";
import { useParams } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { prefetch, type Schemas } from "../../data/api.ts";
import { Loading } from "../../ui/feedback.tsx";
import type { CanvasHandle } from "../canvas/canvas.tsx";
import type { Definition } from "../graph/graph.ts";
import { type Draft, useDraft } from "./draft/use-draft.ts";
import { Dialogs, useDialogs } from "./dialogs.tsx";
import { People } from "./people.tsx";
import { TheirsBar } from "./draft/theirs-bar.tsx";
import { WorkflowMenu } from "./menu.tsx";
import { SidePanel } from "./panels/side-panel.tsx";
import { Stage } from "./stage.tsx";
import { TopBar } from "./top-bar.tsx";
import { useClipboard } from "./use-clipboard.ts";
import { useEditorActions } from "./use-editor-actions.ts";
import { useEdits } from "./use-edits.ts";
import { useFolds } from "./use-folds.ts";
import { focusFields } from "./panels/panel-focus.ts";
import { useJump, useProblems } from "./use-problems.ts";
import { useRights } from "./use-rights.ts";
import { useShownRun } from "./run/use-shown-run.ts";
import { useEditorPlace, useSelection } from "./use-selection.ts";
import { PageError } from "../../shell/not-found.tsx";

/** The workflow editor: the canvas, and next to it the fields of the selected step. */
export function Editor() {
  const { id } = useParams({ strict: false });
  return id === undefined ? null : <WorkflowEditor key={id} id={id} />;
}

function WorkflowEditor({ id }: { readonly id: string }) {
  const draft = useDraft(id);
  // Prefetched, because users often add a step as soon as the editor opens.
  useEffect(() => prefetch("workflows.palette"), []);
  const { workflow, draft: definition, error, refetch } = draft;
  if (workflow && definition) return <Workbench {...{ id, draft, workflow, definition }} />;
  return (
    <div className="page">
      {error ? <PageError error={error} retry={() => void refetch()} /> : <Loading />}
    </div>
  );
}

interface WorkbenchProps {
  readonly id: string;
  readonly draft: Draft;
  readonly workflow: Schemas["Workflow"];
  readonly definition: Definition;
}

function Workbench({ id, draft, workflow, definition }: WorkbenchProps) {
  const canvas = useRef<CanvasHandle>(null);
  const place = useEditorPlace(id);
  const { panel, go } = place;
  const { chosen, choose, extend } = useSelection(definition, place);
  const rights = useRights(workflow);
  const { locked } = rights;
  const edits = useEdits({ definition, draft, chosen, choose, locked });
  const shown = useShownRun(definition, place.run);
  const problems = useProblems(definition, locked === undefined);
  const { jump, jumpToNext } = useJump(problems, (key) => {
    choose(key === undefined ? [] : [key]);
    go({ step: key, panel: undefined });
  });
  const dialogs = useDialogs({ id, draft, definition, go });
  const { folding, fold, foldAll } = useFolds(definition);
  const toggle = (name: string): void => go({ panel: panel === name ? undefined : name });
  const on = {
    ...dialogs.on,
    undo: edits.undo,
    redo: edits.redo,
    rename: (name: string) =>
      draft.act({ label: "Rename", after: { ...definition, name }, chosen, field: "name" }),
    fold: (key: string): void => {
      canvas.current?.hold(key);
      fold(key);
    },
    foldAll,
    open: focusFields,
    nextProblem: jumpToNext,
    showProblems: () => toggle("problems"),
    toggleJson: () => toggle("json"),
    showVersions: () => toggle("versions"),
    publish: () => toggle("deploy"),
  };
  useClipboard(edits, chosen);
  useEditorActions({ draft, edits, chosen, choose, canvas, ...rights, on });
  return (
    <div className="page editor-page">
      <TopBar
        {...{ workflow, draft, problems, panel, on, ...rights }}
        name={definition.name}
        people={<People {...{ id, definition, chosen, choose }} isEditing={draft.isDirty} />}
        menu={
          <WorkflowMenu
            workflow={workflow}
            draft={draft}
            onBackfill={() => go({ panel: "backfill" })}
          />
        }
      />
      {draft.theirs && <TheirsBar workflowId={id} onMerge={dialogs.on.merge} />}
      <div className="editor">
        <Stage
          {...{ id, definition, folding, chosen, choose, extend, edits, shown, problems, canvas }}
          isLocked={locked !== undefined}
          onFold={on.fold}
          onDismissRun={() => go({ run: undefined })}
        />
        <SidePanel
          {...{ id, definition, draft, workflow, chosen, choose, edits, shown, problems, panel }}
          {...rights}
          mockErrors={dialogs.mockErrors}
          onMockError={dialogs.on.mockError}
          onSave={async () => (await draft.save()) === "saved"}
          onJump={jump}
          onPanel={(next) => go({ panel: next })}
        />
      </div>
      <Dialogs {...{ id, draft, definition, workflow, edits, dialogs, panel, go }} />
    </div>
  );
}
