import "../ui/display/section.css";
import { type Role, nameRole, useGrantReason } from "./role-names.ts";
import { CheckBox } from "../ui/form/controls.tsx";

interface RoleChoiceProps {
  readonly roles: readonly Role[];
  readonly chosen: ReadonlySet<string>;
  readonly onChange: (chosen: ReadonlySet<string>) => void;
}

/** Roles to give, several at once. Those that one may not give say why. */
export function RoleChoice({ roles, chosen, onChange }: RoleChoiceProps) {
  const reasonOf = useGrantReason();
  const toggle = (id: string, isOn: boolean): void => {
    const next = new Set(chosen);
    if (isOn) next.add(id);
    else next.delete(id);
    onChange(next);
  };
  return (
    <fieldset className="field-box">
      <legend>Roles</legend>
      <div className="role-choice scroll" role="group" aria-label="Roles" tabIndex={0}>
        {roles.map((role) => {
          const reason = reasonOf(role);
          return (
            <label key={role.id} className="role-option" data-off={reason !== undefined}>
              <CheckBox
                checked={chosen.has(role.id)}
                disabled={reason !== undefined}
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
    </fieldset>
  );
}
