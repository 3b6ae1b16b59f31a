import type { ReactNode } from "react";
import { Field } from "../field.tsx";
import { splitWords } from "../words.ts";
import type { FieldProps } from "./binding.ts";

/** The label of a field: the developer's, the schema's, or the name in words. `assigneeId` is `Assignee`. */
export function labelOf({
  label,
  limits,
  name,
}: Pick<FieldProps<unknown>, "label" | "limits" | "name">): string {
  return label ?? limits.title ?? splitWords(name.replace(/(?<=.)Ids?$/, ""));
}

/** The attributes of a control that is bound to its label, its help and its error. */
export interface ControlAttributes {
  readonly id: string;
  readonly name: string;
  readonly disabled: boolean;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": true | undefined;
  readonly "aria-required": true | undefined;
}

interface FieldFrameProps {
  readonly field: FieldProps<never>;
  readonly children: (attributes: ControlAttributes, label: string) => ReactNode;
}

/** Label, help, error and the mark of what is optional, around the control of a field. */
export function FieldFrame({ field, children }: FieldFrameProps) {
  const label = labelOf(field);
  const isRequired = field.isRequired ?? field.limits.required === true;
  return (
    <Field
      label={label}
      help={field.help}
      error={field.errorFor(label)}
      isOptional={!isRequired && !field.isDisabled && !field.hidesLabel}
      hidesLabel={field.hidesLabel}
    >
      {(attributes) =>
        children(
          {
            ...attributes,
            name: field.name,
            disabled: field.isDisabled,
            "aria-required": isRequired || undefined,
          },
          label,
        )
      }
    </Field>
  );
}

/** Any field, for a frame that does not look at the value. */
export const framed = <T,>(field: FieldProps<T>): FieldProps<never> =>
  field as unknown as FieldProps<never>;
