import { TICKET_KINDS } from "../../data/tickets/ticket-kinds.ts";
import type { Schemas } from "../../data/api.ts";
import { CheckBox } from "../../ui/form/controls.tsx";

type Kind = Schemas["Macro"]["kinds"][number];

interface KindChecksProps {
  readonly kinds: readonly Kind[];
  readonly onChange: (kinds: Kind[]) => void;
}

/** The kinds that something fits; none is all. */
export function KindChecks({ kinds, onChange }: KindChecksProps) {
  return (
    <fieldset className="kind-checks">
      <legend>
        Kinds {kinds.length === 0 && <span className="muted">all, while none is chosen</span>}
      </legend>
      {TICKET_KINDS.map(([kind, label]) => (
        <label key={kind} className="row">
          <CheckBox
            checked={kinds.includes(kind)}
            onChange={({ target }) =>
              onChange(target.checked ? [...kinds, kind] : kinds.filter((one) => one !== kind))
            }
          />
          {label}
        </label>
      ))}
    </fieldset>
  );
}
