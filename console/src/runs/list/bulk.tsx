import { Ban, RotateCcw, X } from "lucide-react";
import { useState } from "react";
import { call, invalidate } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import { useActions } from "../../shell/actions.ts";
import { Confirm } from "../../ui/overlay/confirm.tsx";
import { notify, notifyError } from "../../ui/toast.tsx";
import { count } from "../../ui/words.ts";
import { type BulkAct, type BulkPlan, planBulk, tellOutcome, toRetryFilters } from "./bulk.ts";
import { LeftOut, RetryMany } from "./retry-many.tsx";
import type { Run } from "./run-book.ts";
import type { Selection } from "../../ui/behaviour/selection.ts";

interface BarProps {
  readonly runs: readonly Run[];
  readonly selection: Selection;
  readonly onClear: () => void;
}

/** What can be done to the selected runs. A count comes first, with what is left out and why. */
export function BulkBar({ runs, selection, onClear }: BarProps) {
  const mayTrigger = useMay()("workflows:trigger");
  const [asked, setAsked] = useState<BulkAct>();
  const [isBusy, setBusy] = useState(false);
  const chosen = runs.filter(({ id }) => selection.ids.has(id));
  const canRetry = planBulk("retry", chosen, mayTrigger);
  const canCancel = planBulk("cancel", chosen, mayTrigger);
  const refusal = (one: BulkPlan): string | undefined =>
    one.ids.length > 0 ? undefined : (one.left[0]?.reason ?? "Nothing is selected.");
  useActions(
    chosen.length === 0
      ? []
      : [
          {
            keys: "r",
            label: "Retry the selected runs",
            run: () => setAsked("retry"),
            disabled: refusal(canRetry),
          },
          {
            keys: "c",
            label: "Cancel the selected runs",
            run: () => setAsked("cancel"),
            disabled: refusal(canCancel),
          },
        ],
  );
  if (chosen.length === 0) return null;
  const cancel = async (): Promise<void> => {
    setBusy(true);
    try {
      const { data } = await call("runs.cancel_many", {
        body: { filter: { runIds: canCancel.ids } },
      });
      notify(tellOutcome("cancel", data.count, []));
      invalidate(["runs."]);
      onClear();
    } catch (error) {
      notifyError(error);
    } finally {
      setBusy(false);
      setAsked(undefined);
    }
  };
  return (
    <div className="bulk" role="toolbar" aria-label="Selected runs">
      <span className="grow">{count(chosen.length, "run")} selected</span>
      <button
        className="btn"
        disabled={refusal(canRetry) !== undefined}
        title={refusal(canRetry)}
        onClick={() => setAsked("retry")}
      >
        <RotateCcw /> Retry {canRetry.ids.length || ""}
      </button>
      <button
        className="btn"
        disabled={refusal(canCancel) !== undefined}
        title={refusal(canCancel)}
        onClick={() => setAsked("cancel")}
      >
        <Ban /> Cancel {canCancel.ids.length || ""}
      </button>
      <button className="btn bare icon" aria-label="Select nothing" onClick={onClear}>
        <X />
      </button>
      {asked === "retry" && (
        <RetryMany
          filters={toRetryFilters(chosen, canRetry.ids)}
          left={canRetry.left}
          onDone={onClear}
          onClose={() => setAsked(undefined)}
        />
      )}
      {asked === "cancel" && (
        <Confirm
          title={`Cancel ${count(canCancel.ids.length, "run")}?`}
          act={`Cancel ${canCancel.ids.length}`}
          isBusy={isBusy}
          onAct={() => void cancel()}
          onClose={() => setAsked(undefined)}
        >
          <p>They are over at once; what is under way outside is cut off.</p>
          <LeftOut left={canCancel.left} />
        </Confirm>
      )}
    </div>
  );
}
