import { X } from "lucide-react";
import { type KeyboardEvent, type ReactNode, Suspense } from "react";
import type { Schemas } from "../../../data/api.ts";
import { isTyping } from "../../../shell/keys/focus-guard.ts";
import { Loading } from "../../../ui/feedback.tsx";
import { lazyPart } from "../../../ui/overlay/lazy-part.tsx";
import type { Definition } from "../../graph/graph.ts";
import { TRIGGER } from "../../graph/layout.ts";
import type { Problem } from "../../graph/problems.ts";
import type { Draft } from "../draft/use-draft.ts";
import type { ShownRun } from "../run/use-shown-run.ts";
import { useValues } from "../run/use-values.ts";
import type { Edits } from "../use-edits.ts";
import { focusCanvas } from "./panel-focus.ts";
import { ProblemList } from "./problem-list.tsx";
import { Button } from "../../../ui/form/button.tsx";

const Inspector = lazyPart(async () => (await import("../../inspector/index.ts")).Inspector);
const JsonPanel = lazyPart(async () => (await import("./json-panel.tsx")).JsonPanel);
const VersionsPanel = lazyPart(
  async () => (await import("../../versions/versions-panel.tsx")).VersionsPanel,
);

interface SidePanelProps {
  readonly id: string;
  readonly definition: Definition;
  readonly draft: Draft;
  readonly workflow: Schemas["Workflow"];
  readonly chosen: readonly string[];
  readonly choose: (keys: readonly string[]) => void;
  readonly edits: Edits;
  readonly shown: ShownRun;
  readonly problems: readonly Problem[];
  readonly panel: string | undefined;
  readonly locked: string | undefined;
  readonly cannotDeploy: string | undefined;
  readonly mockErrors: ReadonlyMap<string, string>;
  readonly onMockError: (key: string, message: string | undefined) => void;
  readonly onSave: () => Promise<boolean>;
  readonly onJump: (problem: Problem) => void;
  readonly onPanel: (panel: string | undefined) => void;
}

/** The side panel: an opened panel, or the fields of the selected step. */
export function SidePanel(props: SidePanelProps) {
  const { panel, chosen, definition, problems, onPanel } = props;
  const close = (): void => {
    onPanel(undefined);
    focusCanvas();
  };
  if (panel === "problems") {
    return (
      <Side title="Problems" onClose={close}>
        <ProblemList problems={problems} definition={definition} onJump={props.onJump} />
      </Side>
    );
  }
  if (panel === "json") {
    return (
      <Side title="JSON" isWide onClose={close}>
        <JsonPanel {...props} />
      </Side>
    );
  }
  if (panel === "versions") {
    return (
      <Side title="Versions" onClose={close}>
        <VersionsPanel
          {...props}
          onTake={(after, label) => props.draft.act({ label, after, chosen: [] })}
        />
      </Side>
    );
  }
  const [key] = chosen;
  if (key === undefined || chosen.length > 1) return null;
  return (
    <div className="editor-side" onKeyDown={returnToCanvas}>
      <Suspense fallback={<Loading />}>
        <StepFields {...props} chosenKey={key} />
      </Suspense>
    </div>
  );
}

/** The fields of a step. Expressions can use the outputs of earlier steps in the shown or the last run. */
function StepFields(props: SidePanelProps & { readonly chosenKey: string }) {
  const { id, definition, draft, shown, chosenKey: key } = props;
  const { run, runId, trigger, items } = useValues(id, definition, shown, key);
  return (
    <Inspector
      key={key}
      workflowId={id}
      definition={definition}
      stepKey={key === TRIGGER ? undefined : key}
      run={run}
      runId={runId}
      trigger={trigger}
      items={items}
      problems={props.problems}
      mockErrors={props.mockErrors}
      onMockError={props.onMockError}
      onSave={props.onSave}
      mayEdit={props.locked === undefined}
      onChange={(after, { label, field, stepKey = key }) => {
        draft.act({ label, after, chosen: [stepKey], field: `${key}:${field}` });
        if (stepKey !== key) props.choose([stepKey]);
      }}
      onClose={() => {
        props.choose([]);
        focusCanvas();
      }}
    />
  );
}

/** Ignored in fields: there, Escape closes popups, and the user continues to type. */
function returnToCanvas(event: KeyboardEvent): void {
  if (event.key !== "Escape" || event.defaultPrevented || isTyping(event.target)) return;
  event.preventDefault();
  focusCanvas();
}

function Side(props: {
  readonly title: string;
  readonly isWide?: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  return (
    <aside
      className={`editor-side${props.isWide ? " wide" : ""}`}
      aria-label={props.title}
      onKeyDown={returnToCanvas}
    >
      <header>
        <h2 className="cut">{props.title}</h2>
        <span className="grow" />
        <Button look="bare" isIcon aria-label="Close" onClick={props.onClose}>
          <X />
        </Button>
      </header>
      <Suspense fallback={<Loading />}>{props.children}</Suspense>
    </aside>
  );
}
