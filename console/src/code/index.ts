export { CaretContext, type CaretField, useCaret } from "./caret.ts";
export { CodeEditor } from "./code-editor.tsx";
export { CodeField } from "./code-field.tsx";
export { findJsonFault } from "./json-fault.ts";
export type { CodeEditorProps, CodeHandle, CodeMark } from "./editor-props.ts";
export { ExpressionField, type ExpressionFieldProps } from "./expression/expression-field.tsx";
export type { ExpressionMode } from "./jsonata-mode.ts";
export { numberOf } from "./expression/preview.ts";
export { useDebounced } from "../ui/behaviour/debounce.ts";
export type { CodeLanguage } from "./language.ts";
export { completeScript } from "./script/complete-script.ts";
export { placeOfError } from "./script/script-scope.ts";
export {
  parseValue,
  resolveNames,
  type ScopeSource,
  spellValue,
  toNames,
} from "./expression/scope.ts";
