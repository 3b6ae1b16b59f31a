import type { RiskLevel } from "./use-change.ts";

const TONES: Readonly<Record<RiskLevel, string>> = {
  low: "ok",
  moderate: "warn",
  high: "bad",
};

export const riskTone = (level: RiskLevel): string => TONES[level];

export function RiskTag({ level }: { readonly level: RiskLevel }) {
  return (
    <span className={`tag ${riskTone(level)}`}>
      {level.charAt(0).toUpperCase() + level.slice(1)} risk
    </span>
  );
}

/** The reasons for the risk, each with its weight. */
export function RiskReasons(props: {
  readonly level: RiskLevel;
  readonly reasons: readonly string[];
}) {
  if (props.reasons.length === 0) return null;
  return (
    <section>
      <h3>Reasons for {props.level} risk</h3>
      <ul className="risk-reasons">
        {props.reasons.map((reason) => {
          const [, words = reason, weight] = /^(.*?)\s*\(([+−-]\d+)\)$/.exec(reason) ?? [];
          return (
            <li key={reason}>
              <span className="grow">{words.charAt(0).toUpperCase() + words.slice(1)}</span>
              {weight !== undefined && <span className="muted">{weight}</span>}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
