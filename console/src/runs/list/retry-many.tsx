import { useEffect, useState } from "react";
import { call } from "../../data/api.ts";
import { useWork } from "../../data/use-command.ts";
import { Confirm } from "../../ui/overlay/confirm.tsx";
import { ErrorNotice } from "../../ui/feedback.tsx";
import { notify } from "../../ui/toast.tsx";
import { count } from "../../ui/words.ts";
import { type BulkPlan, type RetryFilter, tellOutcome } from "./bulk.ts";

interface Preview {
  readonly count: number;
  readonly left: BulkPlan["left"];
}

/** Loads the server's preview of this retry. */
function usePreview(filters: readonly RetryFilter[]) {
  const [preview, setPreview] = useState<Preview>();
  const [error, setError] = useState<Error>();
  const [asked] = useState(filters);
  useEffect(() => {
    const left = new AbortController();
    const ask = async (): Promise<void> => {
      const told = await Promise.all(
        asked.map((filter) =>
          call("runs.retry_many", { body: { filter, dryRun: true } }, { signal: left.signal }),
        ),
      );
      setPreview({
        count: told.reduce((sum, { data }) => sum + data.count, 0),
        left: told.flatMap(({ data }) => data.skipped ?? []),
      });
    };
    ask().catch((failure: unknown) => {
      if (!left.signal.aborted) setError(failure as Error);
    });
    return () => left.abort();
  }, [asked]);
  return { preview, error };
}

/** Retries many runs, after showing the count and the skipped runs with reasons. */
export function RetryMany(props: {
  readonly filters: readonly RetryFilter[];
  /** Runs that are skipped before the request. */
  readonly left: BulkPlan["left"];
  readonly onDone: () => void;
  readonly onClose: () => void;
}) {
  const { preview, error } = usePreview(props.filters);
  const retry = useWork("runs.retry_many");
  const act = async (): Promise<void> => {
    await retry.run(async () => {
      let done = 0;
      for (const filter of props.filters) {
        done += (await call("runs.retry_many", { body: { filter } })).data.count;
      }
      notify(tellOutcome("retry", done, []));
      props.onDone();
    });
    props.onClose();
  };
  const runs = preview && count(preview.count, "run");
  return (
    <Confirm
      isGentle
      title={runs === undefined ? "Counting the runs…" : `Retry ${runs}?`}
      act={preview ? `Retry ${runs}` : "Retry"}
      isBusy={retry.isBusy || !preview || preview.count === 0}
      onAct={() => void act()}
      onClose={props.onClose}
    >
      {error && <ErrorNotice error={error} />}
      <p>
        Each run continues at the step that failed. Completed steps are kept. The oldest run starts
        first.
      </p>
      <LeftOut left={[...props.left, ...(preview?.left ?? [])]} />
    </Confirm>
  );
}

export function LeftOut({ left }: { readonly left: BulkPlan["left"] }) {
  if (left.length === 0) return null;
  return (
    <div>
      <p>Skipped:</p>
      <ul className="bulk-left">
        {left.map(({ reason, count: n }) => (
          <li key={reason}>
            <b>{n}</b> {reason}
          </li>
        ))}
      </ul>
    </div>
  );
}
