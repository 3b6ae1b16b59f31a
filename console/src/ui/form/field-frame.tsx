import type { ReactNode } from "react";
import { Field } from "../field.tsx";
import { splitWords } from "../words.ts";
import type { FieldProps } from "./binding.ts";

/** Returns the label of a field: the given one, the schema's, or the name as words. `assigneeId` becomes `Assignee`. */
export function labelOf({
  label,
  limits,
  name,
}: Pick<FieldProps<unknown>, "label" | "limits" | "name">): string {
  return label ?? limits.title ?? splitWords(name.replace(/(?<=.)Ids?$/, ""));
}

/** Attributes connecting a control to the label, help and error. */
export interface ControlAttributes {
  readonly id: string;
  readonly name: string;
  readonly disabled: boolean;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": true | undefined;
  readonly "aria-required": true | undefined;
}

/** Props of a combobox from the attributes of a control. */
export const comboOf = (attributes: ControlAttributes) => ({
  id: attributes.id,
  isDisabled: attributes.disabled,
  isInvalid: attributes["aria-invalid"] === true,
  describedBy: attributes["aria-describedby"],
});

interface FieldFrameProps {
  readonly field: FieldProps<never>;
  readonly children: (attributes: ControlAttributes, label: string) => ReactNode;
}

/** The label, help, error and "optional" mark around a field's control. */
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

/** Erases the value type, for a frame that does not read the value. */
export const framed = <T,>(field: FieldProps<T>): FieldProps<never> =>
  field as unknown as FieldProps<never>;
