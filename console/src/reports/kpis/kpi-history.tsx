import { type Figure, formatBucket, type Mark } from "@millrace/client/chart";
import { History } from "lucide-react";
import { useState } from "react";
import { FigureView } from "../../analytics/index.ts";
import { call, type Schemas, useOp } from "../../data/api.ts";
import { KpiFigure } from "../../dashboards/index.ts";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { notify, notifyError } from "../../ui/toast.tsx";
import { count } from "../../ui/words.ts";
import type { Kpi } from "./kpi-draft.ts";
import { Button } from "../../ui/form/button.tsx";

type Snapshot = Schemas["KpiSnapshot"];

const SHOWN = 100;
const BACK_DAYS = 90;
const DAY_MS = 86_400_000;

interface KpiHistoryProps {
  readonly kpi: Kpi;
  readonly refusal: string | undefined;
}

/** What a KPI is and was, and the way to work its past out. */
export function KpiHistory({ kpi, refusal }: KpiHistoryProps) {
  const [isBusy, setBusy] = useState(false);
  const { data, error, refetch } = useOp("kpis.history", {
    params: { id: kpi.id },
    query: { limit: SHOWN },
  });
  const history = data?.data;
  const workOut = async (): Promise<void> => {
    setBusy(true);
    try {
      const to = new Date();
      const from = new Date(to.getTime() - BACK_DAYS * DAY_MS);
      const body = { from: from.toISOString(), to: to.toISOString() };
      const { data: done } = await call("kpis.backfill", { params: { id: kpi.id }, body });
      notify(`${count(done.snapshots, "value")} of the past ${BACK_DAYS} days`);
    } catch (failure) {
      notifyError(failure);
    }
    setBusy(false);
  };
  return (
    <section aria-label="History">
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {!history && !error && <Loading rows={4} />}
      {history && (
        <KpiFigure data={{ kpi, latest: history[0] ?? null, history: history.slice(0, 30) }} />
      )}
      {history && history.length > 1 && (
        <div className="kpi-history">
          <FigureView figure={toCourse(kpi, history)} label={`${kpi.name} over time`} />
        </div>
      )}
      <p className="row">
        <Button
          type="button"
          disabled={refusal !== undefined || isBusy}
          title={refusal ?? "From the log, as of each time of its schedule"}
          onClick={() => void workOut()}
        >
          <History /> Work out the last {BACK_DAYS} days
        </Button>
      </p>
    </section>
  );
}

/** The history as a course, with the target beside it. */
function toCourse({ name, target, unit }: Kpi, history: readonly Snapshot[]): Figure {
  const inOrder = history.toReversed();
  const markOf = (value: number | null): Mark => ({ value, group: {}, measure: name });
  return {
    kind: "course",
    shape: "line",
    style: { unit: unit ?? undefined },
    places: inOrder.map(({ at }) => formatBucket(at, "day", "UTC")),
    series: [
      { name, isBefore: false, marks: inOrder.map(({ value }) => markOf(value)) },
      { name: "Target", isBefore: true, marks: inOrder.map(() => markOf(target)) },
    ],
  };
}
