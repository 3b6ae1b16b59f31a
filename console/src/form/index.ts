export type { FieldProps } from "./context.ts";
export { Form, type FormProps } from "./form.tsx";
export { type Fields, isFields, readPointer, writePointer } from "./pointer.ts";
export {
  kindOf as fieldKindOf,
  isEmpty,
  labelOf,
  optionsOf,
  type Schema,
  settleSchema,
  typeOf,
} from "./schema.ts";
export { type FieldError, findMissing, initialValue, toSendable } from "./values.ts";
