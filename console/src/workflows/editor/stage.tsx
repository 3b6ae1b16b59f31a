import { useNavigate } from "@tanstack/react-router";
import { type RefObject, useMemo } from "react";
import { useOp } from "../../data/api.ts";
import { Keys } from "../../ui/key.tsx";
import { useStableHandlers } from "../../ui/behaviour/stable.ts";
import { Canvas, type CanvasHandle } from "../canvas/canvas.tsx";
import type { CanvasView } from "../canvas/canvas-nodes.ts";
import { kindOf } from "../canvas/step-kinds.ts";
import { type Definition, findStep } from "../graph/graph.ts";
import { type Folding, TRIGGER } from "../graph/layout.ts";
import { type Problem, problemsByStep } from "../graph/problems.ts";
import { nameOf } from "./edits.ts";
import { RunBar } from "./run/run-bar.tsx";
import type { ShownRun } from "./run/use-shown-run.ts";
import type { Edits } from "./use-edits.ts";
import { Button } from "../../ui/form/button.tsx";

interface StageProps {
  readonly id: string;
  readonly definition: Definition;
  readonly folding: Folding;
  readonly chosen: readonly string[];
  readonly choose: (keys: readonly string[]) => void;
  readonly extend: (keys: readonly string[]) => void;
  readonly edits: Edits;
  readonly shown: ShownRun;
  readonly problems: readonly Problem[];
  readonly canvas: RefObject<CanvasHandle | null>;
  readonly isLocked: boolean;
  readonly onFold: (key: string) => void;
  readonly onDismissRun: () => void;
}

/** Shows the canvas with overlays for runs, new edges and multiple selection. */
export function Stage(props: StageProps) {
  const { definition, chosen, choose, edits, shown, isLocked } = props;
  const navigate = useNavigate();
  const view = useCanvasView(props);
  const handlers = useStableHandlers({
    onFold: props.onFold,
    onAdd: (key: string, at: DOMRect) => edits.ask("after", at, key),
    onItem: shown.chooseItem,
    onLink: (key: string) => edits.setLinking(key),
    onOpenWorkflow: (id: string) => void navigate({ to: "/workflows/$id", params: { id } }),
  });
  return (
    <div className="editor-canvas">
      <Canvas
        definition={definition}
        folding={props.folding}
        view={view}
        chosen={chosen}
        chosenWire={edits.wire?.id}
        linking={edits.linking}
        handlers={handlers}
        ref={props.canvas}
        isLocked={isLocked}
        onChoose={(keys, isMore) => (isMore ? props.extend(keys) : choose(keys))}
        onChooseWire={edits.setWire}
        onAdd={edits.askAt}
        onMove={edits.move}
        onLink={edits.link}
      />
      <Banner {...props} />
      {definition.nodes.length === 0 && (
        <div className="empty editor-empty">
          <strong>Add the first step</strong>
          {!isLocked && (
            <Button
              look="main"
              onClick={(event) => edits.ask("after", event.currentTarget.getBoundingClientRect())}
            >
              Add step <Keys keys="/" />
            </Button>
          )}
        </div>
      )}
      <div className="hide" role="status" aria-live="polite">
        {describe(props)}
      </div>
    </div>
  );
}

function useCanvasView({ id, shown, problems }: StageProps): CanvasView {
  const outputs = useOp("workflows.pinned_data", { params: { id } }).data?.data.outputs;
  const pinned = useMemo(() => new Set(Object.keys(outputs ?? {})), [outputs]);
  const { view: run, items } = shown;
  const found = useMemo(() => problemsByStep(problems), [problems]);
  return useMemo(() => ({ run, items, problems: found, pinned }), [run, items, found, pinned]);
}

function Banner(props: StageProps) {
  const { definition, chosen, choose, edits, shown } = props;
  if (edits.linking !== undefined) {
    return (
      <div className="run-bar hint" role="status">
        <b className="cut">{nameOf(definition, edits.linking)}</b>: select the next step
        <Keys keys="ArrowUp ArrowDown" /> select <Keys keys="Enter" /> connect or disconnect
        <Keys keys="Escape" /> cancel
      </div>
    );
  }
  if (edits.wire) {
    return (
      <div className="run-bar hint" role="status">
        Connection selected
        <Keys keys="Delete" /> delete <Keys keys="Escape" /> cancel
      </div>
    );
  }
  if (chosen.length > 1) {
    return (
      <div className="run-bar hint" role="status">
        <b>{chosen.length} steps</b>
        <Keys keys="mod+c" /> copy <Keys keys="mod+d" /> duplicate <Keys keys="l" /> loop
        <Keys keys="Delete" /> delete
      </div>
    );
  }
  if (shown.runId === undefined) return null;
  return (
    <RunBar
      followed={shown.followed}
      view={shown.view}
      draft={definition}
      onChoose={(key) => choose([key])}
      onClose={props.onDismissRun}
    />
  );
}

/** The announcement for screen readers when the selection changes. */
function describe({ definition, chosen, shown, problems }: StageProps): string {
  const key = chosen.at(-1);
  if (key === undefined) return "";
  if (key === TRIGGER) return "Trigger";
  const step = findStep(definition, key);
  if (!step) return "";
  const status = shown.view.steps.get(key)?.status;
  const problem = problems.find((one) => one.key === key)?.message;
  const parts = [step.name ?? step.id, kindOf(step.type).title, status, problem];
  return parts.filter((part) => part !== undefined).join(", ");
}
