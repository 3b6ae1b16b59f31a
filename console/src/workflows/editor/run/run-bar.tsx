import { Link } from "@tanstack/react-router";
import { ExternalLink, X } from "lucide-react";
import { State } from "../../../ui/state.tsx";
import { useNow } from "../../../ui/time.tsx";
import { count, toDuration } from "../../../ui/words.ts";
import type { Definition } from "../../graph/graph.ts";
import type { RunView } from "../../graph/run-view.ts";
import { type FollowedRun, isOver } from "./use-run.ts";
import { Button } from "../../../ui/form/button.tsx";

interface RunBarProps {
  readonly followed: FollowedRun;
  readonly view: RunView;
  readonly draft: Definition;
  readonly onChoose: (key: string) => void;
  readonly onClose: () => void;
}

/** The progress of the run on the canvas, shown until the user dismisses it. */
export function RunBar({ followed, view, draft, onChoose, onClose }: RunBarProps) {
  const { run, error } = followed;
  if (!run) {
    return error ? (
      <div className="run-bar" role="status">
        {error.message}
        <CloseButton onClose={onClose} />
      </div>
    ) : null;
  }
  const shown = draft.nodes.map(({ id }) => view.steps.get(id));
  const over = shown.filter(
    (step) => step && (step.finishedAt !== null || step.status === "skipped"),
  ).length;
  const failed = [...view.steps].find(([, step]) => step.status === "failed")?.[0];
  return (
    <div className="run-bar" role="group" aria-label="Run">
      <State state={run.status} />
      {run.test && <span className="tag plain">Dry run</span>}
      <span className="muted run-bar-count" role="status">
        {over} of {count(draft.nodes.length, "step")}
      </span>
      <span className="run-bar-track" aria-hidden="true">
        <i style={{ transform: `scaleX(${over / Math.max(1, draft.nodes.length)})` }} />
      </span>
      <Elapsed
        startedAt={run.startedAt}
        durationMs={isOver(run.status) ? run.durationMs : undefined}
      />
      {failed !== undefined && (
        <Button look="bare" onClick={() => onChoose(failed)}>
          Show failed step
        </Button>
      )}
      <Link
        className="btn bare icon"
        to="/runs/$id"
        params={{ id: run.id }}
        aria-label="Open run"
        title="Open run"
      >
        <ExternalLink />
      </Link>
      <CloseButton onClose={onClose} />
    </div>
  );
}

function CloseButton({ onClose }: { readonly onClose: () => void }) {
  return (
    <Button look="bare" isIcon aria-label="Hide run" title="Hide run" onClick={onClose}>
      <X />
    </Button>
  );
}

function Elapsed(props: {
  readonly startedAt: string | null;
  readonly durationMs: number | null | undefined;
}) {
  const now = useNow();
  const { startedAt, durationMs } = props;
  if (durationMs != null)
    return <span className="muted run-bar-time">{toDuration(durationMs)}</span>;
  const elapsed = startedAt === null ? 0 : Math.max(0, now - Date.parse(startedAt));
  return (
    <span className="muted run-bar-time">{toDuration(Math.floor(elapsed / 1_000) * 1_000)}</span>
  );
}
