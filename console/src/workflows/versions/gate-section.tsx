import type { Schemas } from "../../data/api.ts";
import type { Environment } from "../../data/place.ts";
import { CheckBox } from "../../ui/form/controls.tsx";

export type Gate = NonNullable<Schemas["PublicationPreview"]["rehearsalGate"]>;
type Allowed = Gate["allow"][number];

const ALLOWABLE: readonly (readonly [Allowed, string])[] = [
  ["other_output", "different values"],
  ["other_branch", "a different path through the steps"],
  ["needs_outcome", "steps that no past run reached"],
  ["would_fail", "failures"],
];

interface GateSectionProps {
  readonly environment: Environment;
  /** The gate after this deployment; null for none. */
  readonly gate: Gate | null;
  readonly onChange: (gate: Gate | null) => void;
}

/** The gate that rejects deployments if past runs would differ. It applies from this deployment until it is removed. */
export function GateSection({ environment, gate, onChange }: GateSectionProps) {
  const toggle = (verdict: Allowed, isAllowed: boolean): void => {
    if (!gate) return;
    const rest = gate.allow.filter((one) => one !== verdict);
    onChange({ ...gate, allow: isAllowed ? [...rest, verdict] : rest });
  };
  return (
    <section aria-label="Deployment check">
      <h2>Deployment check for {environment}</h2>
      <label className="gate-line">
        <CheckBox
          role="switch"
          checked={gate !== null}
          onChange={({ target }) => onChange(target.checked ? { allow: [] } : null)}
        />
        Reject deployments that change the result of past runs
      </label>
      {gate && (
        <fieldset className="gate-allowed">
          <legend className="muted">Exceptions:</legend>
          {ALLOWABLE.map(([verdict, words]) => (
            <label key={verdict} className="gate-line">
              <CheckBox
                checked={gate.allow.includes(verdict)}
                onChange={({ target }) => toggle(verdict, target.checked)}
              />
              {words}
            </label>
          ))}
        </fieldset>
      )}
    </section>
  );
}
