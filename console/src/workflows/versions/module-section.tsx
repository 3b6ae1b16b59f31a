import type { Schemas } from "../../data/api.ts";
import { Ago } from "../../ui/time.tsx";
import { CheckBox } from "../../ui/form/controls.tsx";

interface ModuleSectionProps {
  readonly modules: Schemas["PublicationPreview"]["modules"];
  readonly isUpdating: boolean;
  readonly onChange: (isUpdating: boolean) => void;
}

/** Script modules that changed since the last deployment; they are updated only if the user selects that. */
export function ModuleSection({ modules, isUpdating, onChange }: ModuleSectionProps) {
  if (modules.length === 0) return null;
  const canStay = modules.some(({ from }) => from !== null);
  return (
    <section aria-label="Modules">
      <h2>Script modules</h2>
      <ul>
        {modules.map(({ name, from, to, savedBy, savedAt }) => (
          <li key={name}>
            <span className="mono">{name}</span>{" "}
            {from === null ? `new, version ${to}` : `version ${from} → ${to}`}, saved by{" "}
            {savedBy.name} <Ago at={savedAt} />
          </li>
        ))}
      </ul>
      {canStay && (
        <label className="gate-line">
          <CheckBox checked={isUpdating} onChange={({ target }) => onChange(target.checked)} />
          Use the newest versions
        </label>
      )}
    </section>
  );
}
