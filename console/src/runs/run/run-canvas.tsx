import { useNavigate } from "@tanstack/react-router";
import { useMemo, useRef, useState } from "react";
import { useActions } from "../../shell/actions.ts";
import { useStableHandlers } from "../../ui/behaviour/stable.ts";
import {
  Canvas,
  type CanvasHandle,
  type Definition,
  findStep,
  type Folding,
  type RunView,
} from "../../workflows/index.ts";
import { chooseItem, type StepPlace } from "../step/step-place.ts";

const NO_PROBLEMS: ReadonlyMap<string, string> = new Map();
const NO_PINS: ReadonlySet<string> = new Set();
const NO_GUESTS: Folding["opened"] = new Map();
const ARROWS = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"] as const;

/** The path of the run, on the canvas of the version that it used. */
export function RunCanvas(props: {
  readonly definition: Definition;
  readonly shown: RunView;
  readonly place: StepPlace;
  readonly onChoose: (place: StepPlace) => void;
}) {
  const { definition, shown, place, onChoose } = props;
  const navigate = useNavigate();
  const canvas = useRef<CanvasHandle>(null);
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const folding = useMemo((): Folding => ({ folded, opened: NO_GUESTS }), [folded]);
  const chosen = useMemo(() => (place.key === undefined ? [] : [place.key]), [place.key]);
  const handlers = useStableHandlers({
    onFold(key: string): void {
      canvas.current?.hold(key);
      const step = findStep(definition, key);
      const ran = shown.steps.get(key);
      const childId = ran?.childRunId ?? ran?.wait?.runId;
      if (step?.type === "subworkflow") {
        if (childId !== undefined) void navigate({ to: "/runs/$id", params: { id: childId } });
        else onChoose({ ...place, key });
        return;
      }
      setFolded((old) => old.symmetricDifference(new Set([key])));
    },
    onItem: (key: string, item: number | undefined): void =>
      onChoose({ key: place.key ?? key, items: chooseItem(place.items, key, item) }),
    onAdd: (): void => {},
    onLink: (): void => {},
    onOpenWorkflow: (id: string): void => void navigate({ to: "/workflows/$id", params: { id } }),
  });
  const view = useMemo(
    () => ({ run: shown, items: place.items, problems: NO_PROBLEMS, pinned: NO_PINS }),
    [shown, place.items],
  );
  useActions([
    ...ARROWS.map((arrow) => ({
      keys: arrow,
      label: "Select next or previous step",
      hidden: true,
      run: () => {
        const key = canvas.current?.walk(place.key, arrow);
        if (key !== undefined) onChoose({ ...place, key });
      },
    })),
    { keys: "f", label: "Fit to screen", run: () => canvas.current?.fit() },
    {
      keys: "z",
      label: "Expand or collapse all loops",
      run: () => setFolded((old) => (old.size > 0 ? new Set() : new Set(shown.loops.keys()))),
    },
  ]);
  return (
    <Canvas
      ref={canvas}
      definition={definition}
      folding={folding}
      view={view}
      chosen={chosen}
      handlers={handlers}
      isReadOnly
      onChoose={([key]) => onChoose({ ...place, key })}
    />
  );
}
