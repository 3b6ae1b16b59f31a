/** Parts of a form know its schema and its errors from here, and draw fields in fields without importing each other. */
import { createContext, type ReactNode, useContext } from "react";
import type { Schema } from "./schema.ts";

/** A field as the form is about to draw it. */
export interface FieldProps {
  readonly id: string;
  /** A JSON pointer. */
  readonly at: string;
  /** Settled: references followed, conditions decided. */
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
  /** Its label is read, not shown: that of the list says it. */
  readonly isBare?: boolean;
  /** Emptied, it stays as an empty text: an item of a list is removed by its button alone. */
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
  if (!state) throw new Error("A field stands in a form.");
  return state;
}
