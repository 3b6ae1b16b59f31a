import "../ui/display/section.css";
import type { FieldProps } from "../ui/form/binding.ts";
import { CheckBox } from "../ui/form/controls.tsx";
import { labelOf } from "../ui/form/field-frame.tsx";
import { nameRole, useGrantReason, useRoles } from "./role-names.ts";

/** Selects several roles. Roles that the user can't grant show the reason. */
export function RolesField(props: FieldProps<readonly string[]>) {
  const { roles } = useRoles();
  const reasonOf = useGrantReason();
  const label = labelOf({ ...props, label: props.label ?? "Roles" });
  const error = props.errorFor(label);
  const chosen = props.value ?? [];
  const toggle = (id: string, isOn: boolean): void =>
    props.onChange(isOn ? [...chosen, id] : chosen.filter((one) => one !== id));
  return (
    <fieldset className="field-box" disabled={props.isDisabled}>
      <legend>{label}</legend>
      <div className="role-choice scroll" role="group" aria-label={label} tabIndex={0}>
        {roles.map((role) => {
          const reason = reasonOf(role);
          return (
            <label key={role.id} className="role-option" data-off={reason !== undefined}>
              <CheckBox
                checked={chosen.includes(role.id)}
                disabled={reason !== undefined}
                aria-invalid={error === undefined ? undefined : true}
                onChange={({ target }) => toggle(role.id, target.checked)}
              />
              <span className="grow">
                {nameRole(role)}
                <span className="muted">{reason ?? role.description}</span>
              </span>
            </label>
          );
        })}
      </div>
      {error !== undefined && <p className="field-error">{error}</p>}
    </fieldset>
  );
}
