import { type Figure, formatBucket, type Mark } from "@millrace/client/chart";
import { History } from "lucide-react";
import { FigureView } from "../../analytics/index.ts";
import { type Schemas, useOp } from "../../data/api.ts";
import { useCommand } from "../../data/use-command.ts";
import { KpiFigure } from "../../dashboards/index.ts";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { count } from "../../ui/words.ts";
import type { Kpi } from "./kpi-draft.ts";
import { CommandButton } from "../../ui/form/command-button.tsx";

type Snapshot = Schemas["KpiSnapshot"];

const SHOWN = 100;
const BACK_DAYS = 90;
const DAY_MS = 86_400_000;

/** The history of a KPI, with an action to compute past values. */
export function KpiHistory({ kpi }: { readonly kpi: Kpi }) {
  const { data, error, refetch } = useOp("kpis.history", {
    params: { id: kpi.id },
    query: { limit: SHOWN },
  });
  const history = data?.data;
  const backfill = useCommand("kpis.backfill", {
    said: ({ data: done }) =>
      `${count(done.snapshots, "value")} calculated for the last ${BACK_DAYS} days`,
  });
  const workOut = (): void => {
    const to = new Date();
    const from = new Date(to.getTime() - BACK_DAYS * DAY_MS);
    const body = { from: from.toISOString(), to: to.toISOString() };
    void backfill.run({ params: { id: kpi.id }, body });
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
        <CommandButton
          command={backfill}
          title="Calculates past values from the event log, one for each scheduled time"
          onPress={workOut}
        >
          <History /> Calculate the last {BACK_DAYS} days
        </CommandButton>
      </p>
    </section>
  );
}

/** Converts the history to a line chart with the target. */
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
