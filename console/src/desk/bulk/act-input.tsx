import type { ReactNode } from "react";
import {
  MajorField,
  PersonField,
  TeamField,
  TicketField,
} from "../../data/options/search-field.tsx";
import type { FieldBinding } from "../../ui/form/binding.ts";
import { SelectField } from "../../ui/form/choice-field.tsx";
import { DateTimeField } from "../../ui/form/date-time-field.tsx";
import { TextAreaField, TextField } from "../../ui/form/text-field.tsx";
import { LEVELS } from "../create/incident-fields.tsx";
import { CategoryField } from "../fields/reference-fields.tsx";

export interface ActField {
  readonly name: string;
  readonly label: string;
  readonly type:
    | "line"
    | "area"
    | "problem"
    | "major"
    | "level"
    | "category"
    | "team"
    | "person"
    | "time";
  readonly isOptional?: boolean;
  readonly placeholder?: string;
}

interface InputProps {
  readonly field: ActField;
  readonly binding: FieldBinding<NonNullable<unknown>>;
  /** Ids of tickets that are not offered. */
  readonly without: readonly string[];
}

/** A form field of an action. */
export function ActInput({ field, binding, without }: InputProps): ReactNode {
  const { label, type, isOptional = false, placeholder } = field;
  // The kind of the field says which values it has.
  const bound = <T,>() => ({
    ...(binding as unknown as FieldBinding<T>),
    label,
    isRequired: !isOptional,
  });
  const text = bound<string>();
  switch (type) {
    case "line":
      return <TextField {...text} placeholder={placeholder} />;
    case "area":
      return <TextAreaField {...text} placeholder={placeholder} />;
    case "problem":
      return <TicketField {...text} kinds={["problem"]} />;
    case "major":
      return <MajorField {...text} without={without} />;
    case "level":
      return <SelectField {...bound<number>()} options={LEVELS} none="Keep current value" />;
    case "category":
      return <CategoryField {...text} />;
    case "team":
      return <TeamField {...text} />;
    case "person":
      return <PersonField {...text} />;
    case "time":
      return <DateTimeField {...text} />;
  }
}
