/** Conditions on tickets, for areas that have some. */
export { ConditionField } from "./condition/condition-field.tsx";
export { toConditionWords, toTimeWords } from "./policy-words.ts";
