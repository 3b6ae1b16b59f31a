/** The constraints of a body field for forms. */
export interface FieldFacts {
  readonly type?: "string" | "integer" | "number" | "boolean" | "array" | "object";
  readonly required?: boolean;
  readonly nullable?: boolean;
  readonly title?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  /** The values of an enumeration. */
  readonly values?: readonly (string | number | boolean)[];
  /** The constraints of list items. */
  readonly items?: FieldFacts;
}
