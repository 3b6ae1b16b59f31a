import { useMutation } from "@tanstack/react-query";
import type { Input } from "../../data/api.ts";
import { dryRun } from "../book/dry-run.ts";
import { ErrorNotice } from "../../ui/feedback.tsx";
import { toDuration } from "../../ui/words.ts";
import { Button } from "../../ui/form/button.tsx";

interface TryChangeProps {
  readonly slug: string;
  readonly toBody: () => object;
}

/**
 * Changes the table in a transaction and rolls back: reports whether all values fit and how long the table is
 * locked.
 */
export function TryChange({ slug, toBody }: TryChangeProps) {
  const trial = useMutation({
    mutationFn: async () => {
      const body = toBody() as Input<"tables.update">["body"];
      const fromMs = performance.now();
      await dryRun("tables.update", { params: { slug }, body }, new AbortController().signal);
      return performance.now() - fromMs;
    },
  });
  return (
    <div className="try-change">
      <Button
        type="button"
        disabled={trial.isPending}
        title="Makes the change and rolls it back. The table is locked during the test."
        onClick={() => trial.mutate()}
      >
        {trial.isPending ? "Testing…" : "Test change"}
      </Button>
      <span role="status">
        {trial.data !== undefined &&
          `All values can be converted. The change locks the table for about ${toDuration(trial.data)}.`}
      </span>
      {trial.error && <ErrorNotice error={trial.error} />}
    </div>
  );
}
