import { toDuration } from "../../ui/words.ts";
import { type Plan, type PlanLine, toPlanLines, wordsOf } from "./plan-tree.ts";

/** Shows the PostgreSQL query plan as a tree. Expensive nodes have longer bars. */
export function PlanView({ plan }: { readonly plan: Plan }) {
  const lines = toPlanLines(plan);
  const isRun = plan.nodes.some(({ durationMs }) => durationMs !== undefined);
  return (
    <div className="sql-plan scroll" tabIndex={0} role="group" aria-label="Query plan">
      {plan.isLimited && (
        <p className="sql-note">
          Access rules limit what you can see, so row counts and times are hidden.
        </p>
      )}
      <ol className="sql-steps">
        {lines.map((line) => (
          <Step key={line.node.id} line={line} isRun={isRun} />
        ))}
      </ol>
      {plan.truncated && <p className="muted">The plan has more steps than shown here.</p>}
    </div>
  );
}

const figure = (value: number): string =>
  value.toLocaleString("en", { maximumFractionDigits: value < 10 ? 1 : 0 });

const timeOf = (ms: number): string => (ms < 10 ? `${ms.toFixed(1)} ms` : toDuration(ms));

function Step({ line, isRun }: { readonly line: PlanLine; readonly isRun: boolean }) {
  const { node, depth, share, own, missedBy } = line;
  const words = wordsOf(node);
  return (
    <li className="sql-step" style={{ paddingInlineStart: `${depth * 18 + 8}px` }}>
      <div className="sql-step-name">
        <strong>{node.type}</strong>
        {node.join !== undefined && node.join !== "Inner" && <span>{node.join.toLowerCase()}</span>}
        {node.relation !== undefined && <code>{node.relation}</code>}
        {node.index !== undefined && (
          <span className="muted">
            using <code>{node.index}</code>
          </span>
        )}
        {words !== undefined && <span className="muted wide-only">{words}</span>}
      </div>
      {node.condition !== undefined && (
        <code className="sql-step-condition cut" title={node.condition}>
          {node.condition}
        </code>
      )}
      <div className="sql-step-figures">
        {share !== undefined && (
          <span className="sql-share" aria-hidden="true">
            <span
              className={share > 0.4 ? "heavy" : undefined}
              style={{ width: `${Math.max(1, share * 100)}%` }}
            />
          </span>
        )}
        {own !== undefined && <span>{isRun ? timeOf(own) : `cost ${figure(own)}`}</span>}
        {(node.rows ?? node.estimatedRows) !== undefined && (
          <span className="muted">
            {node.rows === undefined
              ? `about ${figure(node.estimatedRows ?? 0)} rows`
              : `${figure(node.rows)} rows`}
          </span>
        )}
        {(node.removedRows ?? 0) > 0 && (
          <span className="muted">{figure(node.removedRows ?? 0)} removed</span>
        )}
        {missedBy !== undefined && (
          <span className="sql-miss" title={`Estimated: ${figure(node.estimatedRows ?? 0)} rows`}>
            {figure(missedBy)}× misestimated
          </span>
        )}
      </div>
    </li>
  );
}
