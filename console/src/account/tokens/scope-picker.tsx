import "../../ui/display/section.css";
import "./scope-picker.css";
import { useId, useState } from "react";
import { useOp } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import { Unfold } from "../../ui/overlay/unfold.tsx";
import { toWords } from "../../ui/words.ts";
import { groupScopes } from "./scopes.ts";
import type { FieldProps } from "../../ui/form/binding.ts";
import { CheckBox, TextInput } from "../../ui/form/controls.tsx";

interface ScopesFieldProps extends FieldProps<readonly string[]> {
  /** The permissions available for selection: those of the user. */
  readonly offered: readonly string[];
}

/** Selects permissions grouped by area, with a search. An area's checkbox selects the whole area. */
export function ScopesField({ offered, ...field }: ScopesFieldProps) {
  const may = useMay();
  const id = useId();
  const [text, setText] = useState("");
  const catalog = useOp("permissions.list", undefined, { enabled: may("permissions.list") }).data
    ?.data;
  const summaries = new Map(catalog?.map(({ name, summary }) => [name, summary]));
  const words = text.trim().toLowerCase();
  const shown = offered.filter((scope) =>
    `${scope} ${summaries.get(scope) ?? ""}`.toLowerCase().includes(words),
  );
  const chosen: ReadonlySet<string> = new Set(field.value);
  const label = field.label ?? "Permissions";
  const error = field.errorFor(label);
  const set = (scopes: readonly string[], isOn: boolean): void => {
    const next = new Set(chosen);
    for (const scope of scopes) {
      if (isOn) next.add(scope);
      else next.delete(scope);
    }
    field.onChange([...next].toSorted());
  };
  return (
    <fieldset className="field-box scope-picker" disabled={field.isDisabled}>
      <legend>
        {label} ({chosen.size})
      </legend>
      <TextInput
        type="search"
        aria-label="Search permissions"
        aria-invalid={error === undefined ? undefined : true}
        placeholder="Search permissions…"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <div className="scopes scroll" tabIndex={0} role="group" aria-label="Permissions">
        {groupScopes(shown).map(({ area, scopes }) => {
          const on = scopes.filter((scope) => chosen.has(scope)).length;
          return (
            <Unfold
              key={area}
              className="scopes-area"
              isOpen={words !== "" || on > 0}
              summary={
                <>
                  <span className="grow">{toWords(area)}</span>
                  <span className="muted">
                    {on} of {scopes.length}
                  </span>
                </>
              }
            >
              {scopes.length > 1 && (
                <label className="scope">
                  <CheckBox
                    checked={on === scopes.length}
                    onChange={({ target }) => set(scopes, target.checked)}
                  />
                  <span className="grow">All of {toWords(area).toLowerCase()}</span>
                </label>
              )}
              {scopes.map((scope) => (
                <label key={scope} className="scope" htmlFor={`${id}-${scope}`}>
                  <CheckBox
                    id={`${id}-${scope}`}
                    checked={chosen.has(scope)}
                    onChange={({ target }) => set([scope], target.checked)}
                  />
                  <span className="grow">
                    <span className="mono">{scope}</span>
                    {summaries.has(scope) && <span className="muted"> {summaries.get(scope)}</span>}
                  </span>
                </label>
              ))}
            </Unfold>
          );
        })}
        {shown.length === 0 && <p className="muted">No matching permissions</p>}
      </div>
      {error !== undefined && <p className="field-error">{error}</p>}
    </fieldset>
  );
}
