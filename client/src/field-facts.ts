/** What a form has to know of a field of an operation's body. */
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
  /** Of an enumeration. */
  readonly values?: readonly (string | number | boolean)[];
  /** Of each item of a list. */
  readonly items?: FieldFacts;
}
