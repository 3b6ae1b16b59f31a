import { Ban, RotateCcw, X } from "lucide-react";
import { useState } from "react";
import { call, type Input, invalidate } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import { useActions } from "../../shell/actions.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { notify, notifyError } from "../../ui/toast.tsx";
import { count } from "../../ui/words.ts";
import { type BulkAct, planBulk, tellOutcome } from "./bulk.ts";
import type { Run } from "./run-book.ts";
import type { RunsSearch } from "./search.ts";
import type { Selection } from "./selection.ts";

const AT_ONCE = 4;

interface BarProps {
  readonly runs: readonly Run[];
  readonly selection: Selection;
  readonly search: RunsSearch;
  readonly query: NonNullable<Input<"runs.list">["query"]>;
  readonly onClear: () => void;
}

/** What can be done to the selected runs. A count comes first, with what is left out and why. */
export function BulkBar({ runs, selection, onClear }: BarProps) {
  const mayTrigger = useMay()("workflows:trigger");
  const [asked, setAsked] = useState<BulkAct>();
  const [isBusy, setBusy] = useState(false);
  const chosen = runs.filter(({ id }) => selection.ids.has(id));
  const plan = planBulk(asked ?? "retry", chosen, mayTrigger);
  const canRetry = planBulk("retry", chosen, mayTrigger);
  const canCancel = planBulk("cancel", chosen, mayTrigger);
  const refusal = (one: typeof plan): string | undefined =>
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
  const act = async (which: BulkAct): Promise<void> => {
    setBusy(true);
    try {
      const { done, refused } = await doAll(which, plan.ids);
      notify(tellOutcome(which, done, refused));
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
      {asked && (
        <Confirm
          title={`${asked === "retry" ? "Retry" : "Cancel"} ${count(plan.ids.length, "run")}?`}
          act={asked === "retry" ? `Retry ${plan.ids.length}` : `Cancel ${plan.ids.length}`}
          isBusy={isBusy}
          onAct={() => void act(asked)}
          onClose={() => setAsked(undefined)}
        >
          <p>
            {asked === "retry"
              ? "Each goes on where it failed, and keeps what had completed."
              : "They are over at once; what is under way outside is cut off."}
          </p>
          <LeftOut left={plan.left} />
        </Confirm>
      )}
    </div>
  );
}

export function LeftOut({ left }: { readonly left: ReturnType<typeof planBulk>["left"] }) {
  if (left.length === 0) return null;
  return (
    <div>
      <p>Left out:</p>
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

/** A few at a time; one that is refused does not hold up the others. */
async function doAll(act: BulkAct, ids: readonly string[]) {
  const refused: string[] = [];
  let done = 0;
  const waiting = [...ids];
  const work = async (): Promise<void> => {
    for (let runId = waiting.shift(); runId !== undefined; runId = waiting.shift()) {
      try {
        const params = { runId };
        if (act === "retry") await call("runs.retry", { params, body: {} });
        else await call("runs.cancel", { params });
        done += 1;
      } catch (error) {
        refused.push(error instanceof Error ? error.message : String(error));
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { done, refused };
}
