import type { FieldProps } from "./binding.ts";
import type { Choice, GroupedChoice } from "./choices.ts";
import { toWords } from "../words.ts";
import { FieldFrame, framed, labelOf } from "./field-frame.tsx";

interface SelectFieldProps<T extends string | number> extends FieldProps<T> {
  /** Default: the values that the schema allows, with labels. */
  readonly options?: readonly (Choice<T> | GroupedChoice<T>)[];
  /** The label of the empty option; optional fields have one. */
  readonly none?: string;
}

/** Selects one of a few values. */
export function SelectField<T extends string | number>(props: SelectFieldProps<T>) {
  const { value, onChange, limits, none } = props;
  const options: readonly AnyChoice<T>[] = props.options ?? optionsOf<T>(limits.values);
  const hasNone = none !== undefined || (limits.required !== true && value == null);
  return (
    <FieldFrame field={framed(props)}>
      {(attributes) => (
        <select
          {...attributes}
          className="field"
          value={value ?? ""}
          onChange={({ target }) =>
            onChange(options.find(([one]) => String(one) === target.value)?.[0] ?? null)
          }
        >
          {(hasNone || value == null) && <option value="">{none ?? ""}</option>}
          {[...Map.groupBy(options, groupOf)].map(([group, members]) =>
            group === undefined ? (
              <Options key="" options={members} />
            ) : (
              <optgroup key={group} label={group}>
                <Options options={members} />
              </optgroup>
            ),
          )}
        </select>
      )}
    </FieldFrame>
  );
}

type AnyChoice<T extends string | number> = Choice<T> | GroupedChoice<T>;

const groupOf = ([, , group]: readonly [unknown, unknown, string?]): string | undefined => group;

const Options = ({ options }: { readonly options: readonly AnyChoice<string | number>[] }) =>
  options.map(([one, words]) => (
    <option key={one} value={one}>
      {words}
    </option>
  ));

const optionsOf = <T extends string | number>(
  values: FieldProps<T>["limits"]["values"] = [],
): readonly Choice<T>[] => values.map((value) => [value as T, toWords(String(value))]);

export function CheckField(props: FieldProps<boolean>) {
  const { value, onChange, isDisabled, help, name } = props;
  const label = labelOf(props);
  const error = props.errorFor(label);
  return (
    <div className="form-check">
      <label>
        <input
          type="checkbox"
          name={name}
          checked={value === true}
          disabled={isDisabled}
          aria-invalid={error === undefined ? undefined : true}
          onChange={({ target }) => onChange(target.checked)}
        />
        <span>
          {label}
          {help && <span className="field-help">{help}</span>}
        </span>
      </label>
      {error !== undefined && <p className="field-error">{error}</p>}
    </div>
  );
}

interface ChoicesFieldProps<T extends string> extends FieldProps<readonly T[]> {
  readonly options?: readonly Choice<T>[];
}

/** Selects several of a few values. */
export function ChoicesField<T extends string>(props: ChoicesFieldProps<T>) {
  const { value, onChange, limits, isDisabled, help } = props;
  const label = labelOf(props);
  const chosen: readonly T[] = value ?? [];
  const error = props.errorFor(label);
  const options = props.options ?? optionsOf<T>(limits.items?.values);
  return (
    <fieldset
      className="form-choices"
      disabled={isDisabled}
      data-invalid={error === undefined ? undefined : ""}
    >
      <legend>{label}</legend>
      {options.map(([one, words]) => (
        <label key={one}>
          <input
            type="checkbox"
            checked={chosen.includes(one)}
            onChange={({ target }) =>
              onChange(target.checked ? [...chosen, one] : chosen.filter((other) => other !== one))
            }
          />
          {words}
        </label>
      ))}
      {help && <p className="field-help">{help}</p>}
      {error !== undefined && <p className="field-error">{error}</p>}
    </fieldset>
  );
}
