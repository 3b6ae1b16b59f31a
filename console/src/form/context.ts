/** The context with a form's schema and errors, so that nested fields need not import each other. */
import { createContext, type ReactNode, useContext } from "react";
import type { Schema } from "./schema.ts";

export interface FieldProps {
  readonly id: string;
  /** A JSON pointer. */
  readonly at: string;
  /** The resolved schema, without references and conditions. */
  readonly schema: Schema;
  readonly value: unknown;
  readonly label: string;
  readonly isRequired: boolean;
  readonly isDisabled: boolean;
  readonly error: string | undefined;
  readonly describedBy: string | undefined;
  readonly onChange: (value: unknown) => void;
}

export interface FieldPlace {
  readonly schema: Schema;
  readonly value: unknown;
  readonly at: string;
  readonly name: string;
  readonly isRequired?: boolean;
  /** The label is only for screen readers, because the list has a visible one. */
  readonly isBare?: boolean;
  /** An emptied text stays an empty string: items of a list are only removed with their button. */
  readonly isKept?: boolean;
}

interface FormState {
  readonly root: Schema;
  readonly id: string;
  readonly isDense: boolean;
  readonly isDisabled: boolean;
  readonly errors: ReadonlyMap<string, string>;
  readonly write: (pointer: string, value: unknown) => void;
  readonly draw: ((props: FieldProps) => ReactNode) | undefined;
  readonly upload: ((file: File) => Promise<string>) | undefined;
  readonly renderField: (place: FieldPlace) => ReactNode;
}

export const FormContext = createContext<FormState | undefined>(undefined);

export function useForm(): FormState {
  const state = useContext(FormContext);
  if (!state) throw new Error("A field must be inside a form.");
  return state;
}
