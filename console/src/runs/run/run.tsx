import "./run.css";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { useOp } from "../../data/api.ts";
import { PageError } from "../../shell/not-found.tsx";
import { useActions } from "../../shell/actions.ts";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { useIsNarrow } from "../../ui/behaviour/narrow.ts";
import { bodyOf, type Definition, NO_RUN, viewSummary, walkSteps } from "../../workflows/index.ts";
import { type LiveSteps, type TracedRun, useRun, useRunSteps } from "./live-run.ts";
import { RunCanvas } from "./run-canvas.tsx";
import { RunHead } from "./run-head.tsx";
import { RunPanel } from "./run-panel.tsx";
import { RunWaterfall } from "./run-waterfall.tsx";
import { type RunPageView, type RunSearch, TRIGGER_STEP } from "./search.ts";
import { StepPanel } from "../step/step-panel.tsx";
import { useKnownSteps } from "./known-steps.ts";
import { readStepPlace, type StepPlace, writeItems } from "../step/step-place.ts";

const KEPT_MS = 3_600_000;

/** The page of a run: the canvas, the timeline, and the input and output of the selected step. */
export function RunPage() {
  const { id } = useParams({ from: "/inside/runs/$id" });
  const { data, error, refetch } = useRun(id);
  const run = data?.data.id === id ? data.data : undefined;
  if (run) return <RunScreen key={id} run={run} />;
  return (
    <div className="page run">
      {error ? <PageError error={error} retry={() => void refetch()} /> : <Loading rows={12} />}
    </div>
  );
}

/** The definition of the run's version. It never changes, so it is loaded once. */
function useDefinition({ workflowId, versionId, workflowName }: TracedRun) {
  const params = { id: workflowId, versionId };
  const { data, error } = useOp("workflows.get_version", { params }, { staleTime: KEPT_MS });
  const version = data?.data;
  const definition = useMemo((): Definition | undefined => {
    if (!version) return undefined;
    const { nodes, edges, trigger } = version.definition;
    return { name: workflowName, trigger, nodes, edges };
  }, [version, workflowName]);
  return { definition, isGone: error !== null && !version };
}

function RunScreen({ run }: { readonly run: TracedRun }) {
  const search = useSearch({ from: "/inside/runs/$id" });
  const navigate = useNavigate();
  const isNarrow = useIsNarrow();
  const { definition, isGone } = useDefinition(run);
  const live = useRunSteps(run);
  const asked = search.step ?? findTelling(run, live);
  const place = useStepPlace(asked, search.item);
  const { steps, step } = useKnownSteps(run.id, live, place);
  const wanted = search.view ?? (isNarrow ? "waterfall" : "canvas");
  const view: RunPageView = isGone ? "waterfall" : wanted;
  const shape = useMemo(() => definition && shapeOf(definition), [definition]);
  const shown = useMemo(
    () =>
      shape
        ? viewSummary(shape, { steps: steps.values(), nodes: live.nodes.values() }, place.items)
        : NO_RUN,
    [shape, steps, live.nodes, place.items],
  );
  const show = (next: Partial<RunSearch>): void =>
    void navigate({
      to: "/runs/$id",
      params: { id: run.id },
      search: { ...search, ...next },
      replace: true,
    });
  const choose = (next: StepPlace): void =>
    show({ step: next.key ?? TRIGGER_STEP, item: writeItems(next.items) });
  const isChosen = search.step !== undefined && search.step !== TRIGGER_STEP;
  useActions([
    ...VIEWS.map(({ view: name, label, keys }) => ({
      keys,
      label,
      run: () => show({ view: name }),
    })),
    {
      keys: "Escape",
      label: "Back",
      hidden: true,
      run: () => (isChosen ? show({ step: TRIGGER_STEP }) : void navigate({ to: "/runs" })),
    },
  ]);
  const waterfall = <RunWaterfall run={run} live={live} place={place} onChoose={choose} />;
  return (
    <div className="page run">
      <RunHead
        run={run}
        place={place}
        step={step}
        view={view}
        onView={(next) => show({ view: next })}
      />
      {live.error && <ErrorNotice error={live.error} />}
      {isGone && (
        <p className="notice">The canvas can't be shown: the version of this run was deleted.</p>
      )}
      <div className={`run-body view-${view}${isChosen ? " has-step" : ""}`}>
        <div className="run-stage">
          {view === "waterfall" && waterfall}
          {view !== "waterfall" && definition && (
            <RunCanvas definition={definition} shown={shown} place={place} onChoose={choose} />
          )}
          {view !== "waterfall" && !definition && <Loading />}
        </div>
        <aside className="run-side" aria-label={step ? "Step" : "Run"}>
          {view === "both" && waterfall}
          {step ? (
            <StepPanel
              run={run}
              step={step}
              steps={steps}
              nodes={live.nodes}
              place={place}
              loop={place.key === undefined ? undefined : shown.loops.get(place.key)}
              definition={definition}
              onChoose={choose}
            />
          ) : (
            <RunPanel run={run} onChoose={choose} />
          )}
        </aside>
      </div>
    </div>
  );
}

/** Memoized, because counting the items again is expensive with thousands of them. */
function useStepPlace(step: string | undefined, item: string | undefined): StepPlace {
  const read = useMemo(() => readStepPlace(step, item), [step, item]);
  const written = writeItems(read.items);
  const items = useMemo(() => readStepPlace(undefined, written).items, [written]);
  return useMemo(() => ({ key: read.key, items }), [read.key, items]);
}

const VIEWS = [
  { view: "canvas", label: "Show canvas", keys: "1" },
  { view: "waterfall", label: "Show waterfall", keys: "2" },
  { view: "both", label: "Show both", keys: "3" },
] as const;

/** Counting items only needs the loops, so edits of other fields return the same graph. */
function shapeOf(definition: Definition): Definition {
  const hasLoops = [...walkSteps(definition)].some(([, step]) => bodyOf(step) !== undefined);
  return hasLoops ? definition : { ...definition, edges: [] };
}

/** Returns the first step to show of a failed or waiting run: the step that explains it. */
function findTelling(run: TracedRun, { nodes }: LiveSteps): string | undefined {
  if (run.status === "failed") return run.error?.path;
  if (run.status !== "paused") return undefined;
  for (const { key, statuses } of nodes.values()) if ((statuses["paused"] ?? 0) > 0) return key;
  return undefined;
}
