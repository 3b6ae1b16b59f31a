import { useEffect, useState } from "react";
import { call } from "../../data/api.ts";
import { useCommand } from "../../data/use-command.ts";
import { Confirm } from "../../ui/overlay/confirm.tsx";
import { ErrorNotice } from "../../ui/feedback.tsx";
import { count } from "../../ui/words.ts";
import { type BulkPlan, type CancelFilter, tellOutcome } from "./bulk.ts";
import { LeftOut } from "./retry-many.tsx";

/** The server's maximum per request. */
const RUNS_MAX = 1_000;

function usePreview(filter: CancelFilter) {
  const [found, setFound] = useState<number>();
  const [error, setError] = useState<Error>();
  const [asked] = useState(filter);
  useEffect(() => {
    const left = new AbortController();
    const { signal } = left;
    call("runs.cancel_many", { body: { filter: asked, dryRun: true } }, { signal })
      .then(({ data }) => setFound(data.count))
      .catch((failure: unknown) => {
        if (!signal.aborted) setError(failure as Error);
      });
    return () => left.abort();
  }, [asked]);
  return { found, error };
}

/** Cancels many runs, after showing the count. */
export function CancelMany(props: {
  readonly filter: CancelFilter;
  /** Runs that are skipped before the request. */
  readonly left: BulkPlan["left"];
  readonly onDone: () => void;
  readonly onClose: () => void;
}) {
  const { found, error } = usePreview(props.filter);
  const cancel = useCommand("runs.cancel_many", {
    said: ({ data }) => tellOutcome("cancel", data.count, []),
    onDone: props.onDone,
  });
  return (
    <Confirm
      title={found === undefined ? "Counting the runs…" : `Cancel ${count(found, "run")}?`}
      act={found === undefined ? "Cancel runs" : `Cancel ${count(found, "run")}`}
      isBusy={cancel.isBusy || found === undefined || found === 0}
      onAct={() => void cancel.run({ body: { filter: props.filter } }).then(props.onClose)}
      onClose={props.onClose}
    >
      {error && <ErrorNotice error={error} />}
      <p>
        The runs end immediately. Running calls to other systems are cancelled.
        {found === RUNS_MAX &&
          " Only the oldest matching runs are included. Repeat to cancel more."}
      </p>
      <LeftOut left={props.left} />
    </Confirm>
  );
}
