import { describeRecent, type Health } from "./health.ts";

const SHOWN = 24;

/** One mark per recent delivery, the newest on the right. */
export function HealthStrip({ recent }: { readonly recent: Health["recent"] }) {
  const shown = recent.slice(-SHOWN);
  if (shown.length === 0) return <span className="muted">No deliveries yet</span>;
  return (
    <span className="hook-strip" role="img" aria-label={describeRecent(recent)}>
      {shown.map((status, n) => (
        <i key={n} className={`hook-mark ${status}`} />
      ))}
    </span>
  );
}
