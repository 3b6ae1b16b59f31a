import { useOp } from "../data/api.ts";
import { RadioButton } from "../ui/form/controls.tsx";

interface EnvironmentChoiceProps {
  /** Undefined until the user decides: then the workspace default applies. */
  readonly ownValuesOnly: boolean | undefined;
  readonly onChange: (ownValuesOnly: boolean) => void;
}

/** Asks in which environments a new value applies. */
export function EnvironmentChoice({ ownValuesOnly, onChange }: EnvironmentChoiceProps) {
  const workspace = useOp("workspaces.current").data?.data;
  const isOwn = ownValuesOnly ?? workspace?.ownEnvironmentValues ?? false;
  return (
    <fieldset className="field-box secret-environments">
      <legend>Environments that use this value</legend>
      <label>
        <RadioButton name="environments" checked={!isOwn} onChange={() => onChange(false)} />
        <span>
          All environments
          <span className="muted">
            Staging and development use this value too, unless you set a different one.
          </span>
        </span>
      </label>
      <label>
        <RadioButton name="environments" checked={isOwn} onChange={() => onChange(true)} />
        <span>
          Production only
          <span className="muted">
            Staging and development have no value until you set one. Steps that use it there fail.
          </span>
        </span>
      </label>
    </fieldset>
  );
}
