import { toneOf } from "../../ui/state.tsx";
import { count } from "../../ui/words.ts";
import { barHeights, type RunSummary, SPARK_RUNS } from "./recent-runs.ts";

const BAR_PX = 4;
const STEP_PX = 6;
const HEIGHT_PX = 18;

/** The last runs as bars: the colour shows the result, the height the duration. */
export function Spark({ summary }: { readonly summary: RunSummary | undefined }) {
  const runs = summary?.last ?? [];
  if (runs.length === 0) return <span className="muted">–</span>;
  const heights = barHeights(runs);
  const failed = runs.filter(({ status }) => status === "failed").length;
  const label = `${count(runs.length, "run")}, ${failed === 0 ? "none failed" : `${failed} failed`}`;
  const offset = SPARK_RUNS - runs.length;
  return (
    <svg
      className="spark"
      viewBox={`0 0 ${SPARK_RUNS * STEP_PX} ${HEIGHT_PX}`}
      role="img"
      aria-label={label}
    >
      <title>{label}</title>
      {runs.map(({ id, status }, n) => {
        const height = (heights[n] ?? 0) * HEIGHT_PX;
        return (
          <rect
            key={id}
            className={toneOf(status)}
            x={(offset + n) * STEP_PX}
            y={HEIGHT_PX - height}
            width={BAR_PX}
            height={height}
            rx={1}
          />
        );
      })}
    </svg>
  );
}
