import type { Change } from "./use-change.ts";

const PARTS = [
  ["Justification", "justification"],
  ["Implementation plan", "implementationPlan"],
  ["Test plan", "testPlan"],
  ["Rollback plan", "rollbackPlan"],
] as const;

/** The plan of a change. Missing parts are shown as missing, because the approvers must notice them. */
export function Plan({ change }: { readonly change: Change }) {
  return (
    <div className="plan">
      {change.description !== "" && <p className="plan-about">{change.description}</p>}
      {PARTS.map(([name, field]) => (
        <section key={field}>
          <h3>{name}</h3>
          {change[field] === "" ? (
            <p className="muted">Not provided</p>
          ) : (
            <p className="plan-text">{change[field]}</p>
          )}
        </section>
      ))}
    </div>
  );
}
