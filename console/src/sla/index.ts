/** The condition editor for other areas. */
export { ConditionField } from "./condition/condition-field.tsx";
export { toConditionWords, toTimeWords } from "./policy-words.ts";
