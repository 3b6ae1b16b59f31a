import { type ReactNode, useState } from "react";
import type { FieldBinding, FieldLimits } from "../ui/form/binding.ts";
import { Case, Sample } from "./sample.tsx";

interface StatesProps<T> {
  readonly title: string;
  readonly about: string;
  readonly filled?: T;
  readonly children: (field: FieldBinding<T>) => ReactNode;
}

const REQUIRED: FieldLimits = { required: true };

/** A field in each of its states. */
export function States<T>({ title, about, filled, children }: StatesProps<T>) {
  const states: readonly (readonly [label: string, state: Partial<FieldBinding<T>>])[] = [
    ["Empty", { limits: REQUIRED }],
    ["Optional", {}],
    ...(filled === undefined ? [] : [["Filled", { value: filled, limits: REQUIRED }] as const]),
    ["Invalid", { limits: REQUIRED, errorFor: (label) => `${label} is required` }],
    ["Not allowed", { value: filled, isDisabled: true, limits: REQUIRED }],
  ];
  return (
    <Sample title={title} about={about} isWide>
      {states.map(([label, state]) => (
        <Case key={label} label={label}>
          <Bound name={`${title}-${label}`} state={state}>
            {children}
          </Bound>
        </Case>
      ))}
    </Sample>
  );
}

interface BoundProps<T> {
  readonly name: string;
  readonly state: Partial<FieldBinding<T>>;
  readonly children: (field: FieldBinding<T>) => ReactNode;
}

function Bound<T>({ name, state, children }: BoundProps<T>) {
  const [value, setValue] = useState(state.value);
  return children({
    limits: {},
    errorFor: () => undefined,
    isDisabled: false,
    ...state,
    name,
    value,
    onChange: setValue,
  });
}
