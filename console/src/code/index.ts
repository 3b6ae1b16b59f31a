export { CaretContext, type CaretField, useCaret } from "./caret.ts";
export { CodeEditor } from "./code-editor.tsx";
export type { CodeEditorProps, CodeHandle, CodeMark } from "./editor-props.ts";
export { ExpressionField, type ExpressionFieldProps } from "./expression-field.tsx";
export type { ExpressionMode } from "./jsonata-mode.ts";
export { numberOf } from "./preview.ts";
export { useDebounced } from "../ui/debounced.ts";
export type { CodeLanguage } from "./language.ts";
export { parseValue, type ScopeSource, spellValue } from "./scope.ts";
