/** Visible choices: select one, several, or a schema. */
import { useState } from "react";
import { type FieldProps, useForm } from "./context.ts";
import { ObjectFields } from "./object-fields.tsx";
import { isFields } from "./pointer.ts";
import {
  followRef,
  kindOf,
  labelOf,
  matchesSchema,
  optionsOf,
  type Schema,
  typeOf,
  variantsOf,
} from "./schema.ts";
import { initialValue } from "./values.ts";
import { CheckBox, RadioButton } from "../ui/form/controls.tsx";

const OPEN_MAX = { dense: 3, calm: 5 } as const;
const DENSE_CHARACTERS_MAX = 26;

/** Returns whether choices are shown as buttons instead of a select. */
export function isOpenChoice(schema: Schema, isDense: boolean): boolean {
  const options = optionsOf(schema) ?? [];
  if (options.some(({ about }) => about)) return options.length <= OPEN_MAX.calm;
  if (options.length > OPEN_MAX[isDense ? "dense" : "calm"]) return false;
  const characters = options.reduce((sum, { label }) => sum + label.length, 0);
  return !isDense || characters < DENSE_CHARACTERS_MAX;
}

export function OpenChoice(props: FieldProps) {
  const { id, schema, value, isRequired, isDisabled, describedBy, onChange } = props;
  const { isDense } = useForm();
  const options = optionsOf(schema) ?? [];
  const isRich = options.some(({ about }) => about);
  return (
    <div className={`form-options${isRich ? " rich" : isDense ? " joined" : ""}`}>
      {options.map((option) => (
        <label key={option.label}>
          <RadioButton
            name={id}
            disabled={isDisabled}
            checked={option.value === (value ?? schema.default)}
            aria-describedby={describedBy}
            onChange={() => onChange(option.value)}
            onClick={() => option.value === value && !isRequired && onChange(undefined)}
          />
          <span>
            {option.label}
            {option.about && <small>{option.about}</small>}
          </span>
        </label>
      ))}
    </div>
  );
}

export function Several({ schema, value, isDisabled, onChange }: FieldProps) {
  const options = (schema.items && optionsOf(schema.items)) ?? [];
  const chosen: readonly unknown[] = Array.isArray(value) ? value : [];
  return (
    <div className="form-options">
      {options.map((option) => (
        <label key={option.label}>
          <CheckBox
            disabled={isDisabled}
            checked={chosen.includes(option.value)}
            onChange={({ target }) => {
              const others = chosen.filter((other) => other !== option.value);
              onChange(target.checked ? [...others, option.value] : others);
            }}
          />
          <span>{option.label}</span>
        </label>
      ))}
    </div>
  );
}

/** Selects one of several schemas. Switching keeps the common fields. */
export function Variant({ id, at, schema, value, isDisabled, onChange }: FieldProps) {
  const { root, renderField } = useForm();
  const variants = variantsOf(schema).map((variant) => followRef(variant, root));
  const found = variants.findIndex((variant) => matchesSchema(variant, value, root));
  const [picked, setPicked] = useState<number>();
  // The selected schema stays while the value matches it, or matches none, because a field in it may have the focus.
  const [shown, setShown] = useState(found);
  const old = variants[shown];
  const isKept = found === -1 || (old !== undefined && matchesSchema(old, value, root));
  if (!isKept && shown !== found) setShown(found);
  const chosen = Math.max(0, picked ?? (isKept ? shown : found));
  const variant = variants[chosen];
  const pick = (n: number): void => {
    setPicked(n);
    const next = variants[n];
    if (next) onChange(reshape(value, next, root));
  };
  return (
    <>
      <div className="form-options joined">
        {variants.map((one, n) => (
          <label key={n}>
            <RadioButton
              name={id}
              disabled={isDisabled}
              checked={n === chosen}
              onChange={() => pick(n)}
            />
            <span>{one.title ?? labelOf(typeOf(one) ?? "value")}</span>
          </label>
        ))}
      </div>
      {variant &&
        (kindOf(variant) === "object" ? (
          <div className="form-inner">
            <ObjectFields schema={variant} value={value} at={at} />
          </div>
        ) : (
          renderField({ schema: variant, value, at, name: "Value", isBare: true })
        ))}
    </>
  );
}

function reshape(value: unknown, schema: Schema, root: Schema): unknown {
  const initial = initialValue(schema, root);
  if (!isFields(initial) || !isFields(value)) return initial;
  const kept = Object.entries(value).filter(([name]) => schema.properties?.[name]);
  return { ...Object.fromEntries(kept), ...initial };
}
