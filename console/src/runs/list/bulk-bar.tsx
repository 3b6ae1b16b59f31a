import { Ban, RotateCcw, X } from "lucide-react";
import { useState } from "react";
import { useMay } from "../../data/people.ts";
import { useActions } from "../../shell/actions.ts";
import { count } from "../../ui/words.ts";
import { type BulkAct, type BulkPlan, planBulk, toRetryFilters } from "./bulk.ts";
import { CancelMany } from "./cancel-many.tsx";
import { RetryMany } from "./retry-many.tsx";
import type { Run } from "./run-book.ts";
import type { Selection } from "../../ui/behaviour/selection.ts";
import { Button } from "../../ui/form/button.tsx";

interface BarProps {
  readonly runs: readonly Run[];
  readonly selection: Selection;
  readonly onClear: () => void;
}

/** Actions on the selected runs. Each first shows a count, and which runs are skipped and why. */
export function BulkBar({ runs, selection, onClear }: BarProps) {
  const mayTrigger = useMay()("workflows.trigger");
  const [asked, setAsked] = useState<BulkAct>();
  const chosen = runs.filter(({ id }) => selection.ids.has(id));
  const canRetry = planBulk("retry", chosen, mayTrigger);
  const canCancel = planBulk("cancel", chosen, mayTrigger);
  const refusal = (one: BulkPlan): string | undefined =>
    one.ids.length > 0 ? undefined : (one.left[0]?.reason ?? "Select runs first.");
  useActions(
    chosen.length === 0
      ? []
      : [
          {
            keys: "r",
            label: "Retry selected runs",
            run: () => setAsked("retry"),
            disabled: refusal(canRetry),
          },
          {
            keys: "c",
            label: "Cancel selected runs",
            run: () => setAsked("cancel"),
            disabled: refusal(canCancel),
          },
        ],
  );
  if (chosen.length === 0) return null;
  return (
    <div className="run-bulk" role="toolbar" aria-label="Selected runs">
      <span className="grow">{count(chosen.length, "run")} selected</span>
      <Button refusal={refusal(canRetry)} onClick={() => setAsked("retry")}>
        <RotateCcw /> Retry {canRetry.ids.length || ""}
      </Button>
      <Button refusal={refusal(canCancel)} onClick={() => setAsked("cancel")}>
        <Ban /> Cancel {canCancel.ids.length || ""}
      </Button>
      <Button look="bare" isIcon aria-label="Clear selection" onClick={onClear}>
        <X />
      </Button>
      {asked === "retry" && (
        <RetryMany
          filters={toRetryFilters(chosen, canRetry.ids)}
          left={canRetry.left}
          onDone={onClear}
          onClose={() => setAsked(undefined)}
        />
      )}
      {asked === "cancel" && (
        <CancelMany
          filter={{ runIds: canCancel.ids }}
          left={canCancel.left}
          onDone={onClear}
          onClose={() => setAsked(undefined)}
        />
      )}
    </div>
  );
}
