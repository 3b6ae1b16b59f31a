export type { FieldProps } from "./context.ts";
export { Control } from "./control.tsx";
export { PlainControl } from "./field.tsx";
export { Form, type FormProps } from "./form.tsx";
export { MapRows } from "./list.tsx";
export { type Fields, isFields, readPointer, writePointer } from "./pointer.ts";
export {
  kindOf as fieldKindOf,
  isEmpty,
  labelOf,
  matchesSchema,
  optionsOf,
  type Schema,
  settleSchema,
  typeOf,
} from "./schema.ts";
export { type FieldError, findMissing, initialValue, toSendable } from "./values.ts";
